import { checkOptions, type OptionChecks, wholeNumber } from '../../model/check-options.ts'
import { RegistrationError } from '../../model/registration-error.ts'
import type { CompressionSettings } from './compress-response.ts'

/** How responses are compressed. */
export interface CompressionOptions {
  /**
   * The content codings to choose from, the preferred one first. Default: `['br', 'gzip']`.
   */
  readonly encodings?: readonly ('br' | 'gzip')[]
  /** Responses with fewer bytes are not compressed. Default: 1 024. */
  readonly thresholdBytes?: number
}

const compressionOptions: OptionChecks<CompressionOptions> = {
  encodings: true,
  thresholdBytes: wholeNumber(0),
}

const allEncodings = ['br', 'gzip'] as const

/**
 * Undefined if responses are not compressed.
 * @throws RegistrationError
 */
export function compressionSettings(
  option: boolean | CompressionOptions | undefined,
): CompressionSettings | undefined {
  if (option === undefined || option === false) return undefined
  const options = option === true ? {} : option
  checkOptions("the option 'compression' of createRouter()", options, compressionOptions)
  const { encodings = allEncodings, thresholdBytes = 1_024 } = options
  const isValid =
    Array.isArray(encodings) &&
    encodings.length > 0 &&
    encodings.every((encoding) => allEncodings.includes(encoding))
  if (!isValid)
    throw new RegistrationError(
      `The option 'encodings' of 'compression' must be a list with 'br', 'gzip' or both; got ${JSON.stringify(encodings)}.`,
    )
  return { encodings, thresholdBytes }
}
