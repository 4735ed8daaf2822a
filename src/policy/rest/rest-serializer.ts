import { STATUS_CODES } from 'node:http'
import { memoizeBy } from '../../cache/memoize-by.ts'
import type { Problem } from '../../error/problem.ts'
import type { ModelDescription } from '../../model/model-description.ts'
import type { OutgoingGroups } from '../../serializer/outgoing-groups.ts'
import type { DocumentFacts, DocumentFrame, Serializer } from '../../serializer/serializer.ts'
import { joinMembers } from '../join-members.ts'
import { writeFlatItem } from '../write-flat-item.ts'
import { problemSchema } from './problem-schema.ts'
import { readItem } from './read-item.ts'

/**
 * `{"book": {…}}`, `{"books": […]}`, included items under their plurals, and errors as problem
 * details (RFC 9457).
 */
export const restSerializer: Serializer = Object.freeze({
  mediaType: 'application/json',
  errorMediaType: 'application/problem+json',
  errorSchema: problemSchema,
  linkage: 'owned',
  readItem,
  sendsRawJson: true,
  separator: ',',
  writeItem: writeFlatItem,
  writeIdentifier: (_: ModelDescription, id: string) => JSON.stringify(id),
  writeOutput: (text: string) => text,
  itemFrame: (model: ModelDescription, { can }: DocumentFacts) => {
    const { item } = framesOf(model)
    return can === undefined ? item : { ...item, close: `,"meta":{"can":${can}}}` }
  },
  listFrame: (model: ModelDescription, { total, pageParameters, summary }: DocumentFacts) => {
    const { list } = framesOf(model)
    const meta = metaOf({ total, pageParameters, summary })
    return meta === '' ? list : { ...list, close: `${meta}}` }
  },
  writeGroups: ({ groups }: OutgoingGroups, facts: DocumentFacts) =>
    `{"groups":${JSON.stringify(groups)}${metaOf(facts)}}`,
  writeErrors: (status: number, problems: readonly Problem[], unlisted: number) =>
    JSON.stringify({
      type: 'about:blank',
      title: STATUS_CODES[status] ?? 'Error',
      status,
      detail:
        problems.length === 1 ? problems[0]!.detail : summarizeProblems(problems.length, unlisted),
      errors: problems,
    }),
})

function metaOf({
  total,
  pageParameters,
  summary,
}: Pick<DocumentFacts, 'total' | 'pageParameters' | 'summary'>): string {
  const hasPage = total !== undefined || pageParameters !== undefined
  if (!hasPage && summary === '') return ''
  const page = JSON.stringify({ total, parameters: pageParameters })
  return `,"meta":{${joinMembers(hasPage ? `"page":${page}` : '', summary)}}`
}

function summarizeProblems(listed: number, unlisted: number): string {
  const text = `The request has ${listed + unlisted} problems`
  return unlisted === 0 ? `${text}; see 'errors'.` : `${text}; 'errors' lists the first ${listed}.`
}

/** The text around items depends on their model only. */
const framesOf = memoizeBy((model: ModelDescription) => ({
  item: createFrame(model, `{"${model.name}":`, 'null', ''),
  list: createFrame(model, `{"${model.plural}":[`, '', ']'),
}))

function createFrame(
  primary: ModelDescription,
  open: string,
  nothing: string,
  afterItems: string,
): DocumentFrame {
  return {
    open,
    emptyItems: nothing,
    afterItems,
    includedOpen: '',
    // Ember's RESTSerializer reads a leading underscore as "included, not primary data".
    group: (model) => ({ open: `,"${model === primary ? '_' : ''}${model.plural}":[`, close: ']' }),
    areGroupsJoined: false,
    includedClose: '',
    close: '}',
  }
}
