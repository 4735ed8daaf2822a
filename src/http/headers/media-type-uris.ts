import { parseAccept, qualityOf } from './accept.ts'
import { type MediaType, parseMediaType } from './media-type.ts'

const noUris: readonly string[] = Object.freeze([])

/** The URIs of an `ext` or `profile` parameter (JSON:API 1.1, media type parameters). */
function mediaTypeUris(
  parameters: MediaType['parameters'],
  name: 'ext' | 'profile',
): readonly string[] {
  return parameters.get(name)?.split(' ').filter(Boolean) ?? noUris
}

/**
 * The profiles that an `Accept` header asks for; undefined if it accepts nothing that can be sent.
 * An instance of the media type with an unsupported extension, or with other parameters than `ext`
 * and `profile`, is ignored; if all instances are ignored, the result is undefined (JSON:API 1.1,
 * server responsibilities). The instances with the highest weight decide. An instance without `ext`
 * accepts all extensions.
 * @param mediaType the media type of the response, with its parameters
 */
export function requestedProfiles(
  header: string | undefined,
  mediaType: string,
  extensions: readonly string[],
): readonly string[] | undefined {
  if (header === undefined || header === '*/*' || header === mediaType) return noUris
  const ranges = parseAccept(header)
  const essence = essenceOf(mediaType)
  const instances = ranges.filter(({ range }) => range === essence)
  if (instances.length === 0)
    return ranges.length === 0 || qualityOf(ranges, mediaType) > 0 ? noUris : undefined
  const usable = instances.filter(
    ({ q, parameters }) => q > 0 && hasOnlyKnownParameters(parameters, extensions),
  )
  const highest = Math.max(...usable.map(({ q }) => q))
  if (usable.length === 0) return undefined
  return usable
    .filter(({ q }) => q === highest)
    .flatMap(({ parameters }) => mediaTypeUris(parameters, 'profile'))
}

/** Has a `Content-Type` this media type, exactly these extensions, and no unknown parameters? */
export function isOfMediaType(
  header: string | undefined,
  mediaType: string,
  extensions: readonly string[],
): boolean {
  const contentType = header === undefined ? undefined : parseMediaType(header)
  if (
    !contentType ||
    contentType.type !== essenceOf(mediaType) ||
    !hasOnlyKnownParameters(contentType.parameters, extensions)
  )
    return false
  const named = mediaTypeUris(contentType.parameters, 'ext')
  return extensions.every((uri) => named.includes(uri))
}

/** Appends the extensions as a parameter. */
export function withExtensions(mediaType: string, extensions: readonly string[]): string {
  return extensions.length === 0 ? mediaType : `${mediaType};ext="${extensions.join(' ')}"`
}

/** Appends the profiles that a response follows as a parameter. */
export function withProfiles(mediaType: string, profiles: readonly string[]): string {
  return profiles.length === 0 ? mediaType : `${mediaType};profile="${profiles.join(' ')}"`
}

function hasOnlyKnownParameters(
  parameters: MediaType['parameters'],
  extensions: readonly string[],
): boolean {
  for (const name of parameters.keys()) if (name !== 'ext' && name !== 'profile') return false
  return mediaTypeUris(parameters, 'ext').every((uri) => extensions.includes(uri))
}

/** A media type without its parameters. */
function essenceOf(mediaType: string): string {
  const semicolon = mediaType.indexOf(';')
  return semicolon < 0 ? mediaType : mediaType.slice(0, semicolon)
}
