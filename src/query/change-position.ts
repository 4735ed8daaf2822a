import { createHash, hash, randomBytes } from 'node:crypto'
import { aesNonceBytes, aesTagBytes, decryptText, encryptText } from '../crypto/aes-gcm.ts'

/** Where a caller stands in the log of changes, and what it asked for there. */
export interface ChangePosition {
  /** The position in the log, which only the store reads. */
  readonly logged: string
  /** For whom and for what it is: see `bindingOf`. */
  readonly binding: string
  /** Which rules held for the caller: see `digestOf`. */
  readonly rights: string
  /** When these rules were asked, in milliseconds since 1970. */
  readonly timeMs: number
}

/**
 * Seals positions for clients. Two texts of one position differ, so a text says nothing of changes
 * that its client may not see.
 */
export interface ChangePositionCodec {
  seal(position: ChangePosition): string
  /** Undefined for a text that this codec has not sealed. */
  open(text: string): ChangePosition | undefined
}

/** Every process with the same secret can open the positions. */
export function createChangePositionCodec(secret: string): ChangePositionCodec {
  const key = createHash('sha256').update('changes\n').update(secret).digest()
  return {
    seal: ({ logged, binding, rights, timeMs }) => {
      const nonce = randomBytes(aesNonceBytes)
      const text = padText(`${binding}${rights}${timeMs.toString(36)} ${logged}`)
      return Buffer.concat([nonce, encryptText(key, nonce, text)]).toString('base64url')
    },
    open: (text) => {
      if (text.length > maxPositionLength || !/^[\w-]+$/.test(text)) return undefined
      const bytes = Buffer.from(text, 'base64url')
      if (bytes.length < aesNonceBytes + aesTagBytes) return undefined
      const opened = decryptText(
        key,
        bytes.subarray(0, aesNonceBytes),
        bytes.subarray(aesNonceBytes),
      )
      return opened === undefined ? undefined : parsePosition(opened)
    },
  }
}

/** Positions stand in headers and in query strings. */
const maxPositionLength = 1_024
const paddingCharacters = 128
const digestLength = 16

/** The length of a sealed text says nothing of the numbers in it. */
function padText(text: string): string {
  return text.padEnd(Math.ceil(text.length / paddingCharacters) * paddingCharacters)
}

function parsePosition(text: string): ChangePosition | undefined {
  const [time = '', logged = ''] = text
    .slice(2 * digestLength)
    .trimEnd()
    .split(' ')
  const timeMs = Number.parseInt(time, 36)
  if (Number.isNaN(timeMs) || logged === '') return undefined
  return {
    logged,
    binding: text.slice(0, digestLength),
    rights: text.slice(digestLength, 2 * digestLength),
    timeMs,
  }
}

/** A short text that other texts do not have. */
export function digestOf(text: string): string {
  return hash('sha256', text, 'base64url').slice(0, digestLength)
}
