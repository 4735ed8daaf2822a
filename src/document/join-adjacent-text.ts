/**
 * A body in as few parts as can be without copying large ones: texts that stand side by side become
 * one.
 */
export function joinAdjacentText(pieces: readonly (string | Uint8Array)[]): readonly Uint8Array[] {
  const parts: Uint8Array[] = []
  let text = ''
  for (const piece of pieces) {
    if (typeof piece === 'string') text += piece
    else if (piece.length > 0) {
      if (text !== '') parts.push(Buffer.from(text))
      parts.push(piece)
      text = ''
    }
  }
  return text === '' ? parts : [...parts, Buffer.from(text)]
}
