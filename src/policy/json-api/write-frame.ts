import { oncePer } from '../../cache/once-per.ts'
import { withProfiles } from '../../http/media-uris.ts'
import type { DocumentFacts, ListFrame } from '../../serializer/serializer.ts'
import { mediaType } from './media.ts'

type Frame = (facts: DocumentFacts) => ListFrame

/**
 * The documents around one resource, or null, and around an array of resources.
 * @param describedAt where the OpenAPI document is, below the mount path: every document then links to it
 */
export function frames(describedAt: string | undefined): { readonly one: Frame; readonly many: Frame } {
  const linked = describedAt === undefined ? linksText : describedLinks(describedAt)
  return {
    one: (facts) => frame(facts, linked(facts), '', 'null', ''),
    many: (facts) => frame(facts, linked(facts), '[', '', ']'),
  }
}

/** The document of an action that gives no resource; its address is no place to fetch it from, so it names none. */
export function outputText(meta: string): string {
  if (!meta.startsWith('{'))
    throw new TypeError('An action gave something else than an object, which meta cannot hold.')
  return `{"jsonapi":{"version":"1.1"},"meta":${meta}}`
}

function frame(
  facts: DocumentFacts,
  links: string,
  beforeItems: string,
  nothing: string,
  afterItems: string,
): ListFrame {
  return {
    open: `{"jsonapi":${jsonapi(facts.profiles)},"links":${links},"data":${beforeItems}`,
    nothing,
    afterItems,
    includedOpen: ',"included":[',
    group: () => noText,
    groupsJoined: true,
    includedClose: ']',
    close: `${meta(facts)}}`,
  }
}

const noText = { open: '', close: '' }

const jsonapi = oncePer((profiles: readonly string[]) =>
  JSON.stringify({ version: '1.1', ...(profiles.length > 0 && { profile: profiles }) }),
)

const profiledType = oncePer((profiles: readonly string[]) => withProfiles(mediaType, profiles))

function links(facts: DocumentFacts): object {
  const { query, profiles, holds, pages } = facts
  const address = facts.address()
  // Names go out with their brackets encoded, however they came (JSON:API 1.1, query parameter families).
  const href = query === '' ? address : `${address}?${query}`
  return {
    self: profiles.length === 0 ? href : { href, type: profiledType(profiles) },
    ...(holds === 'identifiers' && { related: address.replace(/\/relationships\/([^/]+)$/, '/$1') }),
    ...pages,
  }
}

function linksText(facts: DocumentFacts): string {
  return JSON.stringify(links(facts))
}

/** With `describedby` (JSON:API 1.1, top level), whose text is made anew only where the base address is another. */
function describedLinks(describedAt: string): (facts: DocumentFacts) => string {
  let known: string | undefined
  let last = ''
  return (facts) => {
    if (facts.base !== known) {
      known = facts.base
      last = `,"describedby":${JSON.stringify(known + describedAt)}}`
    }
    return linksText(facts).slice(0, -1) + last
  }
}

function meta({ total, truncated }: DocumentFacts): string {
  if (total === undefined && !truncated) return ''
  const page = { ...(total !== undefined && { total }), ...(truncated && { rangeTruncated: true }) }
  return `,"meta":${JSON.stringify({ page })}`
}
