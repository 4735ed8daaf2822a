import { parseAccept, qualityOf } from './accept.ts'
import { type MediaType, parseMediaType } from './media-type.ts'

const noUris: readonly string[] = Object.freeze([])

/**
 * The URIs of an `ext` or `profile` parameter, which blanks separate (JSON:API 1.1, media type
 * parameters).
 */
export function mediaTypeUris(
  parameters: MediaType['parameters'],
  name: 'ext' | 'profile',
): readonly string[] {
  return parameters.get(name)?.split(' ').filter(Boolean) ?? noUris
}

/**
 * The profiles that an `Accept` header asks for; undefined when nothing it names can be sent. An
 * instance of the media type with other parameters than `ext` and `profile`, or with an extension
 * that is not there, counts as absent; where all instances are, nothing else in the header helps
 * (JSON:API 1.1, server responsibilities). The instances of the highest weight decide. One without
 * `ext` accepts any.
 * @param mediaType what can be sent, with its own parameters, if it has any
 */
export function requestedProfiles(
  header: string | undefined,
  mediaType: string,
  extensions: readonly string[],
): readonly string[] | undefined {
  if (header === undefined || header === '*/*' || header === mediaType) return noUris
  const ranges = parseAccept(header)
  const essence = essenceOf(mediaType)
  const instances = ranges.filter((one) => one.range === essence)
  if (instances.length === 0)
    return ranges.length === 0 || qualityOf(ranges, mediaType) > 0 ? noUris : undefined
  const usable = instances.filter(
    ({ q, parameters }) => q > 0 && hasOnlyKnownParameters(parameters, extensions),
  )
  const highest = Math.max(...usable.map((one) => one.q))
  if (usable.length === 0) return undefined
  return usable
    .filter((one) => one.q === highest)
    .flatMap((one) => mediaTypeUris(one.parameters, 'profile'))
}

/**
 * Whether a body of this `Content-Type` is of the media type, written in these extensions and no
 * others, with no other parameters.
 */
export function isOfMediaType(
  header: string | undefined,
  mediaType: string,
  extensions: readonly string[],
): boolean {
  const found = header === undefined ? undefined : parseMediaType(header)
  if (
    !found ||
    found.type !== essenceOf(mediaType) ||
    !hasOnlyKnownParameters(found.parameters, extensions)
  )
    return false
  const named = mediaTypeUris(found.parameters, 'ext')
  return extensions.every((uri) => named.includes(uri))
}

/** The media type as documents in these extensions name it. */
export function withExtensions(mediaType: string, extensions: readonly string[]): string {
  return extensions.length === 0 ? mediaType : `${mediaType};ext="${extensions.join(' ')}"`
}

/** The media type as a response names it, with the profiles it follows. */
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
