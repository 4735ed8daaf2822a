import { checkOptions, type OptionChecks, wholeNumber } from '../check-options.ts'

/** The media types that images can be sent in beside their own. */
export type VariantFormat = 'png' | 'jpeg' | 'webp' | 'avif'

export interface ResourceOptions {
  /** The most bytes it may have: 10 MiB of an image, 50 MiB else, unless given. */
  readonly maxBytes?: number
  /**
   * The media types it may be of, such as `image/png` or `text/*`; a file may be of any, unless
   * given.
   */
  readonly types?: readonly string[]
  /** The name that clients see; the member's own name unless given. */
  readonly wire?: string
  readonly description?: string
  /** Seen by the model's code, and to a client exactly as if it did not exist. */
  readonly hidden?: boolean
  /** Set by the service; clients can get it only. */
  readonly readOnly?: boolean
}

/** How many pixels an image may have, where its field does not say: 25 megapixels. */
export const defaultMaxPixels = 25_000_000

export interface ImageOptions extends ResourceOptions {
  /**
   * The most pixels it may have, those of all its frames together: 25 000 000 unless given. An
   * upload of more is refused with 422, and so are the variants of an image that was stored before.
   * Its size is read by sharp, without which another number than this is refused: where sharp is
   * not installed nothing decodes images, and their sizes are not looked at. Drawings such as SVG
   * have no pixels, and no variants.
   */
  readonly maxPixels?: number
  /**
   * Forms that the image is also offered in, each format at each size: `/cover/png/512` is at most
   * 512 pixels wide and high. Needs sharp.
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
 * A binary resource of any kind. Items tell its type, size and hash; GET, POST and DELETE at its
 * own address (`/books/:id/manuscript`) get, set and clear it.
 *
 * ```ts
 * const manuscript = file({ maxBytes: 20_000_000, types: ['application/pdf', 'text/*'] })
 * ```
 */
export function file(options: ResourceOptions = {}): ResourceDefinition {
  return defineResource('file', options)
}

/**
 * A binary resource that is an image: PNG, JPEG, WebP, AVIF or GIF, unless `types` says otherwise.
 *
 * ```ts
 * const cover = image({ maxBytes: 5_000_000, variants: { formats: ['webp'], sizes: [128, 512] } })
 * ```
 */
export function image(options: ImageOptions = {}): ResourceDefinition {
  return defineResource('image', options)
}

/**
 * A binary resource to be listened to: MP3, MP4 audio, AAC, Ogg, WAV, FLAC or WebM, unless `types`
 * says otherwise.
 *
 * ```ts
 * const sample = audio({ maxBytes: 20_000_000 })
 * ```
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
