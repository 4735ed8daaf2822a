import { toWellFormed } from './percent-encoding.ts'

export const maxFileNameBytes = 255
// Controls, and characters that turn the reading direction or show nothing: `exe.gpj` is shown as
// `jpg.exe` with one of them.
const invisibleCharacters =
  /[\p{Cc}\u061c\u200b\u200e\u200f\u2028-\u202e\u2060\u2066-\u2069\ufeff]/gu
const reservedCharacters = /["<>:|?*]/g
const deviceName = /^(?:con|prn|aux|nul|com[\d¹²³]|lpt[\d¹²³])(?=\.|$)/i

/**
 * The name of a file as a client sent it, made safe to be kept, sent on and saved under, on any
 * system: the last part of a path only, without controls, characters that turn the reading
 * direction, or what systems reserve, in NFC, and at most 255 bytes of UTF-8, of which the
 * extension is kept. Undefined when nothing is left. Not for making paths here: blobs are never
 * named by it.
 *
 * ```ts
 * safeFileName('C:\\fakepath\\Cover “1”.png') // 'Cover “1”.png'
 * ```
 */
export function safeFileName(name: string): string | undefined {
  const last = name.slice(Math.max(name.lastIndexOf('/'), name.lastIndexOf('\\')) + 1)
  const seen = toWellFormed(last)
    .normalize('NFC')
    .replace(invisibleCharacters, '')
    .replace(reservedCharacters, '_')
  const named = trimName(seen)
  if (named === '') return undefined
  return truncateToBytes(deviceName.test(named) ? `_${named}` : named)
}

/**
 * Without spaces around it and dots behind it, which Windows drops; so nothing is left of `.` and
 * `..` either.
 */
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
  let room = maxFileNameBytes - Buffer.byteLength(extension)
  for (const character of name.slice(0, name.length - extension.length)) {
    room -= Buffer.byteLength(character)
    if (room < 0) break
    stem += character
  }
  return trimName(stem) + extension
}
