import { checkOptions, type OptionChecks, wholeNumber } from '../check-options.ts'

/** The image formats of variants. */
export type VariantFormat = 'png' | 'jpeg' | 'webp' | 'avif'

export interface ResourceOptions {
  /**
   * The maximum size in bytes, at least 1. Default: 10 MiB for an image, 50 MiB for a file or
   * audio.
   */
  readonly maxBytes?: number
  /** The accepted media types, such as `image/png` or `text/*`. Default for a file: any. */
  readonly types?: readonly string[]
  /** The wire name: the name that clients see. Default: the name of the field. */
  readonly wire?: string
  /** What the resource is, for the OpenAPI document. Default: none. */
  readonly description?: string
  /** Only the code of the model sees the field; for clients it does not exist. Default: false. */
  readonly hidden?: boolean
  /** Only the service sets the resource; clients can only read it. Default: false. */
  readonly readOnly?: boolean
  /**
   * The column of what is known about the resource, in stores that keep items in ordinary tables.
   * Default: the wire name in snake_case.
   */
  readonly column?: string
  /**
   * A former wire name of the field, or several, so that a store finds its bytes. Default: none.
   */
  readonly was?: string | readonly string[]
}

export const defaultMaxPixels = 25_000_000

export interface ImageOptions extends ResourceOptions {
  /**
   * The maximum number of pixels, over all frames, at least 1. A larger upload is refused with 422,
   * and so are the variants of a larger image that is already stored. This needs sharp: without it,
   * sizes are not checked, and any other value than the default is refused. Vector images such as
   * SVG have no pixels and no variants. Default: 25 000 000.
   */
  readonly maxPixels?: number
  /**
   * Other formats and sizes of the image, in all combinations: `/cover/png/512` has at most 512
   * pixels in width and height. Sizes are from 1 to 8 192 pixels. Needs sharp. Default: none.
   */
  readonly variants?: {
    readonly formats: readonly VariantFormat[]
    readonly sizes: readonly number[]
  }
}

export interface ResourceDefinition {
  readonly kind: 'resource'
  readonly media: 'file' | 'image' | 'audio'
  readonly options: ImageOptions
}

/**
 * Declares a binary resource. Items have its type, size and hash; GET, POST and DELETE of its own
 * URL (`/books/:id/manuscript`) read, set and clear its bytes.
 *
 * ```ts
 * const manuscript = file({ maxBytes: 20_000_000, types: ['application/pdf', 'text/*'] })
 * ```
 *
 * @throws RegistrationError for an unknown or invalid option
 */
export function file(options: ResourceOptions = {}): ResourceDefinition {
  return defineResource('file', options)
}

/**
 * Declares an image. Default types: PNG, JPEG, WebP, AVIF and GIF.
 *
 * ```ts
 * const cover = image({ maxBytes: 5_000_000, variants: { formats: ['webp'], sizes: [128, 512] } })
 * ```
 *
 * @throws RegistrationError for an unknown or invalid option
 */
export function image(options: ImageOptions = {}): ResourceDefinition {
  return defineResource('image', options)
}

/**
 * Declares an audio file. Default types: MP3, MP4 audio, AAC, Ogg, WAV, FLAC and WebM.
 *
 * ```ts
 * const sample = audio({ maxBytes: 20_000_000 })
 * ```
 *
 * @throws RegistrationError for an unknown or invalid option
 */
export function audio(options: ResourceOptions = {}): ResourceDefinition {
  return defineResource('audio', options)
}

const resourceOptions: OptionChecks<ResourceOptions> = {
  maxBytes: wholeNumber(1),
  types: true,
  wire: true,
  description: true,
  hidden: 'boolean',
  readOnly: 'boolean',
  column: true,
  was: true,
}
const imageOptions: OptionChecks<ImageOptions> = {
  ...resourceOptions,
  maxPixels: wholeNumber(1),
  variants: true,
}
const variantOptions: OptionChecks<NonNullable<ImageOptions['variants']>> = {
  formats: true,
  sizes: true,
}

function defineResource(
  media: ResourceDefinition['media'],
  options: ImageOptions,
): ResourceDefinition {
  checkOptions(`${media}()`, options, media === 'image' ? imageOptions : resourceOptions)
  if (options.variants) checkOptions('the variants of image()', options.variants, variantOptions)
  return Object.freeze({ kind: 'resource', media, options: Object.freeze({ ...options }) })
}
