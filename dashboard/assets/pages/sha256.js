// The SHA-256 of a file, read in pieces. The browser's own function needs a secure connection, and
// the whole file in memory.
(function () {
  const PIECE = 1 << 20;

  const primes = [];
  for (let n = 2; primes.length < 64; n++) if (primes.every((p) => n % p)) primes.push(n);
  const bits = (root) => Math.floor((root % 1) * 2 ** 32);
  const ROUNDS = Int32Array.from(primes, (p) => bits(Math.cbrt(p)));
  const START = Int32Array.from(primes.slice(0, 8), (p) => bits(Math.sqrt(p)));
  const words = new Int32Array(64);

  // Update the state with the blocks of 64 bytes that begin at `from` and end before `to`.
  const blocks = (state, bytes, from, to) => {
    const view = new DataView(bytes.buffer, bytes.byteOffset);
    for (let at = from; at < to; at += 64) {
      for (let i = 0; i < 16; i++) words[i] = view.getInt32(at + 4 * i);
      for (let i = 16; i < 64; i++) {
        const x = words[i - 15];
        const y = words[i - 2];
        const s0 = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3);
        const s1 = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10);
        words[i] = (words[i - 16] + s0 + words[i - 7] + s1) | 0;
      }
      let [a, b, c, d, e, f, g, h] = state;
      for (let i = 0; i < 64; i++) {
        const s1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
        const t1 = (h + s1 + ((e & f) ^ (~e & g)) + ROUNDS[i] + words[i]) | 0;
        const s0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
        const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
        h = g;
        g = f;
        f = e;
        e = (d + t1) | 0;
        d = c;
        c = b;
        b = a;
        a = (t1 + t2) | 0;
      }
      state[0] += a;
      state[1] += b;
      state[2] += c;
      state[3] += d;
      state[4] += e;
      state[5] += f;
      state[6] += g;
      state[7] += h;
    }
  };

  // The rest of a file after its whole blocks, with the padding that the hash requires.
  const ending = (rest, size) => {
    const end = new Uint8Array(rest.length < 56 ? 64 : 128);
    end.set(rest);
    end[rest.length] = 0x80;
    new DataView(end.buffer).setBigUint64(end.length - 8, BigInt(size) * 8n);
    return end;
  };

  // The hash in hexadecimal digits; `progress` is called with the number of bytes read.
  window.evalstoreSha256 = async (file, progress = () => {}) => {
    const state = START.slice();
    let rest = new Uint8Array(0);
    for (let at = 0; at < file.size; at += PIECE) {
      // A piece is a multiple of a block, so only the last piece can leave a rest.
      const bytes = new Uint8Array(await file.slice(at, at + PIECE).arrayBuffer());
      const whole = bytes.length - (bytes.length % 64);
      blocks(state, bytes, 0, whole);
      rest = bytes.subarray(whole);
      progress(at + bytes.length);
    }
    const end = ending(rest, file.size);
    blocks(state, end, 0, end.length);
    return [...state].map((word) => (word >>> 0).toString(16).padStart(8, "0")).join("");
  };
})();
