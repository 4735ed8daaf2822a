import { compression } from './compression/compression.ts'
import type { CompressionOptions } from './compression/compression-options.ts'
import type { Feature } from './feature.ts'

/** The options of a router that turn features on. */
interface FeatureOptions {
  readonly compression?: boolean | CompressionOptions
}

/**
 * The features of a router, the innermost first.
 * @throws RegistrationError for an invalid option
 */
export function featuresOf(options: FeatureOptions): readonly Feature[] {
  return [compression(options.compression)].filter((feature) => feature !== undefined)
}
