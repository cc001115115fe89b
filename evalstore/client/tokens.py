"""The file with a person's tokens, one for each server; nobody else can read it."""

from __future__ import annotations

import json
import os
import stat
import tempfile
from dataclasses import dataclass
from pathlib import Path

from evalstore.client.connection import Address
from evalstore.errors import StoreError


@dataclass(frozen=True)
class KeptTokens:
    """The tokens of a file; StoreError if it can't be read or written, or others can read it."""

    path: Path

    def find(self, address: Address) -> str | None:
        """The token for a server, or None."""
        return self._read().get(str(address))

    def keep(self, address: Address, token: str) -> None:
        """Store the token for a server, in place of any other."""
        self._write({**self._read(), str(address): token})

    def forget(self, address: Address) -> bool:
        """Delete the token for a server; False if there was none."""
        tokens = self._read()
        if tokens.pop(str(address), None) is None:
            return False
        self._write(tokens)
        return True

    def _read(self) -> dict[str, str]:
        try:
            with open(self.path, encoding="utf-8") as file:
                mode = stat.S_IMODE(os.fstat(file.fileno()).st_mode)
                if os.name == "posix" and mode & 0o077:
                    raise StoreError(
                        f"{self.path}: other accounts can read the tokens in it (mode {mode:04o}): "
                        "revoke them on the server, then `chmod 600` the file"
                    )
                tokens = json.load(file)
        except FileNotFoundError:
            return {}
        except OSError as error:
            raise self._error(error) from None
        except ValueError:
            tokens = None
        if not isinstance(tokens, dict) or not all(isinstance(t, str) for t in tokens.values()):
            raise StoreError(f"{self.path}: this is no file of tokens: remove it")
        return tokens

    def _write(self, tokens: dict[str, str]) -> None:
        """Replace the whole file; it never exists with a mode that lets others read it."""
        folder = self.path.parent
        try:
            folder.parent.mkdir(parents=True, exist_ok=True)
            folder.mkdir(mode=0o700, exist_ok=True)
            folder.chmod(0o700)
            descriptor, name = tempfile.mkstemp(dir=folder, prefix=".tokens-")  # mode 0600
            try:
                with open(descriptor, "w", encoding="utf-8") as file:
                    json.dump(tokens, file, indent=1)
                    file.write("\n")
                os.replace(name, self.path)
            except BaseException:
                os.unlink(name)
                raise
        except OSError as error:
            raise self._error(error) from None

    def _error(self, error: OSError) -> StoreError:
        return StoreError(f"{self.path}: {(error.strerror or str(error)).lower()}")
