/** LineReader: takes a stream of bytes apart at LF, and nowhere else, without ever keeping more than one line may have. */

const lf = 0x0a;
/** A piece shorter than this is copied into a block with others: each piece that is kept by itself costs memory beside its bytes. */
const smallPieceBytes = 4 * 1024;
const blockBytes = 16 * 1024;

/** A line has more bytes than it may have. */
export class LineTooLong extends Error {
  override readonly name = "LineTooLong";
  readonly bytesMax: number;

  constructor(bytesMax: number) {
    super(`A line may have at most ${bytesMax} bytes before its LF, and this one has more.`);
    this.bytesMax = bytesMax;
  }
}

/** One for each direction of each connection. */
export class LineReader {
  /** Bytes that a line may have, without its LF. What is set here counts from the next line on that is asked for. */
  bytesMax: number;
  /** Given, and not looked at yet. */
  #ahead: Uint8Array = new Uint8Array(0);
  /** The line that has begun, in order; the block that small pieces are collected in comes behind them. */
  #pieces: Uint8Array[] = [];
  #block: Uint8Array | null = null;
  #blockUsed = 0;
  #kept = 0;
  #tooLong = false;

  constructor(bytesMax: number) {
    this.bytesMax = bytesMax;
  }

  /** Bytes of the line that has begun. */
  get kept(): number {
    return this.#kept;
  }

  /**
   * Takes `bytes` in, and gives the lines that end in them, one by one as they are asked for: without LF, blank ones left out. A line that lies in
   * one piece is a view of it, any other is put together once. Throws LineTooLong, behind the lines before the one that is, and for ever after.
   */
  take(bytes: Uint8Array): Iterable<Uint8Array> {
    // Who stopped asking in the middle of the piece before gets the rest of it first.
    this.#ahead = this.#ahead.length === 0 ? bytes : Buffer.concat([this.#ahead, bytes]);
    return this.#lines();
  }

  /** The line that has begun is not kept any more. */
  forget(): void {
    this.#pieces = [];
    this.#block = null;
    this.#blockUsed = 0;
    this.#kept = 0;
  }

  *#lines(): Generator<Uint8Array, void, undefined> {
    for (;;) {
      if (this.#tooLong) throw new LineTooLong(this.bytesMax);
      const bytes = this.#ahead;
      if (bytes.length === 0) return;
      const end = bytes.indexOf(lf);
      const piece = end === -1 ? bytes : bytes.subarray(0, end);
      this.#ahead = bytes.subarray(end === -1 ? bytes.length : end + 1);
      if (this.#kept + piece.length > this.bytesMax) {
        this.forget();
        this.#tooLong = true;
        continue;
      }
      if (end === -1) {
        this.#keep(piece);
        continue;
      }
      const line = this.#kept === 0 ? piece : this.#whole(piece);
      if (!isBlank(line)) yield line;
    }
  }

  #keep(piece: Uint8Array): void {
    this.#kept += piece.length;
    if (piece.length >= smallPieceBytes) {
      this.#closeBlock();
      this.#pieces.push(piece);
      return;
    }
    if (this.#block === null || this.#blockUsed + piece.length > this.#block.length) {
      this.#closeBlock();
      this.#block = Buffer.allocUnsafeSlow(blockBytes);
    }
    this.#block.set(piece, this.#blockUsed);
    this.#blockUsed += piece.length;
  }

  #closeBlock(): void {
    if (this.#block !== null) this.#pieces.push(this.#block.subarray(0, this.#blockUsed));
    this.#block = null;
    this.#blockUsed = 0;
  }

  #whole(end: Uint8Array): Uint8Array {
    this.#closeBlock();
    const line = Buffer.concat([...this.#pieces, end]);
    this.forget();
    return line;
  }
}

/** Only what JSON takes for white space. */
function isBlank(line: Uint8Array): boolean {
  for (const byte of line) if (byte !== 0x20 && byte !== 0x09 && byte !== 0x0d) return false;
  return true;
}
