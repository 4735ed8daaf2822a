import { truncate } from './truncate.ts'

const maxLength = 500

/** The message of an error, as every store can keep it. */
export function errorText(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  // Lone surrogates are no UTF-8, and PostgreSQL keeps no U+0000.
  const text = Buffer.from(message).toString().replaceAll('\0', '')
  return truncate(text || 'an error without a message', maxLength)
}
