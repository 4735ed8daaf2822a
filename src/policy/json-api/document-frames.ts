import { memoizeBy } from '../../cache/memoize-by.ts'
import { withProfiles } from '../../http/headers/media-type-uris.ts'
import type { OutgoingGroups } from '../../serializer/outgoing-groups.ts'
import type { DocumentFacts, DocumentFrame } from '../../serializer/serializer.ts'
import { joinMembers } from '../join-members.ts'
import { mediaType } from './media-types.ts'

type FrameWriter = (facts: DocumentFacts) => DocumentFrame

/**
 * The text around one resource (or null), around an array of resources, and around groups.
 * @param documentPath the path of the OpenAPI document below the base path; if set, every document
 * links to it
 */
export function createDocumentFrames(documentPath: string | undefined): {
  readonly resource: FrameWriter
  readonly list: FrameWriter
  /** The document of groups, which are no resources. */
  readonly groups: (groups: OutgoingGroups, facts: DocumentFacts) => string
} {
  const linksOf = documentPath === undefined ? writeLinks : createDescribedLinksWriter(documentPath)
  return {
    resource: (facts) => createFrame(facts, linksOf(facts), '', 'null', ''),
    list: (facts) => createFrame(facts, linksOf(facts), '[', '', ']'),
    groups: ({ groups }, facts) => {
      const meta = writeMeta({ ...facts, summary: `"groups":${JSON.stringify(groups)}` })
      return `{"jsonapi":${jsonApiText(facts.profiles)},"links":${linksOf(facts)}${meta}}`
    },
  }
}

/** The document of an output. It has no links, because clients cannot fetch it again. */
export function writeActionOutput(meta: string): string {
  if (!meta.startsWith('{'))
    throw new TypeError("The action's output must be an object; JSON:API sends it as 'meta'.")
  return `{"jsonapi":{"version":"1.1"},"meta":${meta}}`
}

function createFrame(
  facts: DocumentFacts,
  links: string,
  beforeItems: string,
  emptyItems: string,
  afterItems: string,
): DocumentFrame {
  return {
    open: `{"jsonapi":${jsonApiText(facts.profiles)},"links":${links},"data":${beforeItems}`,
    emptyItems,
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
  // The query has encoded brackets, as links must (JSON:API 1.1, query parameter families).
  // A query that is too long for links was sent to the address alone, with QUERY.
  const href = query ? `${address}?${query}` : address
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

/** Adds `describedby` (JSON:API 1.1, top level), and caches its text for one URL prefix. */
function createDescribedLinksWriter(documentPath: string): (facts: DocumentFacts) => string {
  let cachedPrefix: string | undefined
  let describedBy = ''
  return (facts) => {
    if (facts.urlPrefix !== cachedPrefix) {
      cachedPrefix = facts.urlPrefix
      describedBy = `,"describedby":${JSON.stringify(cachedPrefix + documentPath)}}`
    }
    return writeLinks(facts).slice(0, -1) + describedBy
  }
}

function writeMeta({ total, isTruncated, pageParameters, summary, can }: DocumentFacts): string {
  if (can !== undefined) return `,"meta":{"can":${can}}`
  if (total === undefined && !isTruncated && !pageParameters)
    return summary && `,"meta":{${summary}}`
  const page = {
    ...(total !== undefined && { total }),
    ...(isTruncated && { rangeTruncated: true }),
    ...(pageParameters && { parameters: pageParameters }),
  }
  return `,"meta":{${joinMembers(`"page":${JSON.stringify(page)}`, summary)}}`
}
