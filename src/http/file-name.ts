import { toWellFormed } from './percent-encoding.ts'

export const maxFileNameBytes = 255
// Control characters, invisible characters, and those that change the text direction: one of them
// shows `exe.gpj` as `jpg.exe`.
const invisibleCharacters =
  /[\p{Cc}\u061c\u200b\u200e\u200f\u2028-\u202e\u2060\u2066-\u2069\ufeff]/gu
const reservedCharacters = /["<>:|?*]/g
const deviceName = /^(?:con|prn|aux|nul|com[\d¹²³]|lpt[\d¹²³])(?=\.|$)/i

/**
 * Makes the file name of a client safe to store, send and save on any system: the last segment of a
 * path, without control, direction and reserved characters, in NFC, with at most 255 bytes of UTF-8
 * (the extension is kept). Undefined if nothing remains. Never use it for the name of a blob.
 *
 * ```ts
 * safeFileName('C:\\fakepath\\Cover “1”.png') // 'Cover “1”.png'
 * ```
 */
export function safeFileName(name: string): string | undefined {
  const lastSegment = name.slice(Math.max(name.lastIndexOf('/'), name.lastIndexOf('\\')) + 1)
  const visible = toWellFormed(lastSegment)
    .normalize('NFC')
    .replace(invisibleCharacters, '')
    .replace(reservedCharacters, '_')
  const trimmed = trimName(visible)
  if (trimmed === '') return undefined
  return truncateToBytes(deviceName.test(trimmed) ? `_${trimmed}` : trimmed)
}

/** Removes spaces and trailing dots, as Windows does. Nothing remains of `.` and `..`. */
function trimName(name: string): string {
  let end = name.length
  while (end > 0 && ' .'.includes(name[end - 1]!)) end--
  return name.slice(0, end).trimStart()
}

function truncateToBytes(name: string): string {
  if (Buffer.byteLength(name) <= maxFileNameBytes) return name
  const dot = name.lastIndexOf('.')
  const extension = dot > 0 && name.length - dot <= 16 ? name.slice(dot) : ''
  let stem = ''
  let remainingBytes = maxFileNameBytes - Buffer.byteLength(extension)
  for (const character of name.slice(0, name.length - extension.length)) {
    remainingBytes -= Buffer.byteLength(character)
    if (remainingBytes < 0) break
    stem += character
  }
  return trimName(stem) + extension
}
