import type { RuleDeclaration } from '../../rule/declaration.ts'
import type { Feature } from '../feature.ts'
import { type CompressionOptions, compressionSettings } from './compression-options.ts'
import { withCompression } from './with-compression.ts'

/**
 * Compressed responses; undefined if the option is off.
 * @throws RegistrationError
 */
export function compression(option: boolean | CompressionOptions | undefined): Feature | undefined {
  const settings = compressionSettings(option)
  return (
    settings && {
      completes: () => ({ declaration }),
      around: (handle) => withCompression(handle, settings),
    }
  )
}

const declaration: RuleDeclaration = Object.freeze({
  headers: Object.freeze({
    'Content-Encoding':
      'The coding of the content, if the client accepts one and the content is long enough (RFC 9110 §8.4).',
  }),
})
