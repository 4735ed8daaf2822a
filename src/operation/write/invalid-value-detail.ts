import { truncate } from '../../error/truncate.ts'

/** Says why a value is invalid, in the words of its schema. */
export function invalidValueDetail(member: string, isMissing: boolean, message: string): string {
  return isMissing
    ? `${member} is required: ${truncate(message, 1_000)}.`
    : `Invalid value for ${member}: ${truncate(message, 1_000)}.`
}

export const invalidTextMessage =
  'it contains a lone surrogate or U+0000, which JSON text cannot carry'
