/**
 * Joins adjacent texts, and leaves buffers as they are: few buffers, without copies of large ones.
 */
export function joinAdjacentText(pieces: readonly (string | Uint8Array)[]): readonly Uint8Array[] {
  const buffers: Uint8Array[] = []
  let text = ''
  for (const piece of pieces) {
    if (typeof piece === 'string') text += piece
    else if (piece.length > 0) {
      if (text !== '') buffers.push(Buffer.from(text))
      buffers.push(piece)
      text = ''
    }
  }
  return text === '' ? buffers : [...buffers, Buffer.from(text)]
}
