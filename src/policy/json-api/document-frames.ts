import { memoizeBy } from '../../cache/memoize-by.ts'
import { withProfiles } from '../../http/headers/media-type-uris.ts'
import type { DocumentFacts, DocumentFrame } from '../../serializer/serializer.ts'
import { mediaType } from './media-types.ts'

type FrameWriter = (facts: DocumentFacts) => DocumentFrame

/**
 * The documents around one resource, or null, and around an array of resources.
 * @param describedAt where the OpenAPI document is, below the mount path: every document then links
 * to it
 */
export function createDocumentFrames(describedAt: string | undefined): {
  readonly resource: FrameWriter
  readonly list: FrameWriter
} {
  const linked = describedAt === undefined ? writeLinks : createDescribedLinksWriter(describedAt)
  return {
    resource: (facts) => createFrame(facts, linked(facts), '', 'null', ''),
    list: (facts) => createFrame(facts, linked(facts), '[', '', ']'),
  }
}

/**
 * The document of an action that gives no resource; its address is no place to fetch it from, so it
 * names none.
 */
export function writeActionOutput(meta: string): string {
  if (!meta.startsWith('{'))
    throw new TypeError('An action gave something else than an object, which meta cannot hold.')
  return `{"jsonapi":{"version":"1.1"},"meta":${meta}}`
}

function createFrame(
  facts: DocumentFacts,
  links: string,
  beforeItems: string,
  nothing: string,
  afterItems: string,
): DocumentFrame {
  return {
    open: `{"jsonapi":${jsonApiText(facts.profiles)},"links":${links},"data":${beforeItems}`,
    emptyItems: nothing,
    afterItems,
    includedOpen: ',"included":[',
    group: () => emptyGroup,
    areGroupsJoined: true,
    includedClose: ']',
    close: `${writeMeta(facts)}}`,
  }
}

const emptyGroup = { open: '', close: '' }

const jsonApiText = memoizeBy((profiles: readonly string[]) =>
  JSON.stringify({ version: '1.1', ...(profiles.length > 0 && { profile: profiles }) }),
)

const profiledType = memoizeBy((profiles: readonly string[]) => withProfiles(mediaType, profiles))

function documentLinksOf(facts: DocumentFacts): object {
  const { query, profiles, content, pageLinks } = facts
  const address = facts.address()
  // Names go out with their brackets encoded, however they came (JSON:API 1.1, query parameter
  // families).
  const href = query === '' ? address : `${address}?${query}`
  return {
    self: profiles.length === 0 ? href : { href, type: profiledType(profiles) },
    ...(content === 'identifiers' && {
      related: address.replace(/\/relationships\/([^/]+)$/, '/$1'),
    }),
    ...pageLinks,
  }
}

function writeLinks(facts: DocumentFacts): string {
  return JSON.stringify(documentLinksOf(facts))
}

/**
 * With `describedby` (JSON:API 1.1, top level), whose text is made anew only where the base address
 * is another.
 */
function createDescribedLinksWriter(describedAt: string): (facts: DocumentFacts) => string {
  let known: string | undefined
  let last = ''
  return (facts) => {
    if (facts.urlPrefix !== known) {
      known = facts.urlPrefix
      last = `,"describedby":${JSON.stringify(known + describedAt)}}`
    }
    return writeLinks(facts).slice(0, -1) + last
  }
}

function writeMeta({ total, isTruncated }: DocumentFacts): string {
  if (total === undefined && !isTruncated) return ''
  const page = {
    ...(total !== undefined && { total }),
    ...(isTruncated && { rangeTruncated: true }),
  }
  return `,"meta":${JSON.stringify({ page })}`
}
