"""From runs to claims: loading, comparability, significance, verdicts, gates."""
