const pieceBytes = 64 * 1024

/** Bytes in pieces, each given when the one before was taken; `onTaken` when the last one was. */
export function inPieces(bytes: Uint8Array<ArrayBuffer>, onTaken: () => void): ReadableStream<Uint8Array> {
  let at = 0
  return new ReadableStream(
    {
      pull(taker) {
        if (at < bytes.length) taker.enqueue(bytes.subarray(at, at + pieceBytes))
        else {
          taker.close()
          onTaken()
        }
        at += pieceBytes
      },
    },
    { highWaterMark: 0 },
  )
}
