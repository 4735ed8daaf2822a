import { isDeepStrictEqual } from 'node:util'
import type { DescribedOperation } from '../described-operation.ts'
import { isRecord } from '../document-node.ts'
import { violation } from '../expectation/expectation.ts'
import { documentIn, itemsOf, type JsonObject, memberOf, recordsIn } from '../list-documents.ts'
import { noPlannedBody } from '../plan/planned-body.ts'
import { plannedRequest } from '../plan/planned-request.ts'
import type { VerifiedSend } from '../verified-send.ts'
import { ViolationError } from '../violation-error.ts'

const pageSize = 10
/** How many words of items are searched for. */
const maxWords = 5

/** Finds lists whose searches show where words occur. */
export function highlightedListsIn(
  operations: readonly DescribedOperation[],
): readonly DescribedOperation[] {
  return operations.filter(
    ({ method, path, parameters }) =>
      method === 'GET' &&
      !path.includes('{') &&
      ['search', 'withHighlights'].every((name) => parameters.some((each) => each.name === name)),
  )
}

/**
 * Searches a list for words of its items, and compares the highlights with the texts of these.
 * @throws ViolationError if they differ
 */
export async function compareHighlights(
  list: DescribedOperation,
  send: VerifiedSend,
): Promise<void> {
  const requestFor = (query: Readonly<Record<string, string>>) =>
    plannedRequest(
      list,
      `${list.path}?${new URLSearchParams({ 'page[size]': String(pageSize), ...query })}`,
      noPlannedBody,
      'anyDocumentedResponse',
    )
  const page = documentIn(await send(requestFor({})))
  for (const word of page ? wordsIn(itemsOf(page)) : []) {
    const request = requestFor({ search: word, withHighlights: 'true' })
    const document = documentIn(await send(request))
    const fault = document && differenceIn(document)
    if (fault !== undefined)
      throw new ViolationError(violation('highlights-differ', fault), request)
  }
}

function wordsIn(items: readonly JsonObject[]): readonly string[] {
  const texts = items.flatMap((item) => Object.values(membersOf(item)))
  const words = texts.flatMap((text) =>
    typeof text === 'string' ? (text.match(/\b[A-Za-z]{3,20}\b/g) ?? []) : [],
  )
  return [...new Set(words)].slice(0, maxWords)
}

function differenceIn(document: JsonObject): string | undefined {
  const items = itemsOf(document)
  const highlights = recordsIn(memberOf(document, 'highlights'))
  const [shown, highlighted] = [items, highlights].map((all) => all.map(({ id }) => id))
  if (!isDeepStrictEqual(shown, highlighted))
    return `The page has the items ${JSON.stringify(shown)}; its highlights have ${JSON.stringify(highlighted)}.`
  for (const [index, { id, fields }] of highlights.entries()) {
    const members = membersOf(items[index]!)
    for (const field of recordsIn(fields)) {
      const fault = faultOf(field, members)
      if (fault !== undefined) return `The highlight of '${String(id)}' ${fault}`
    }
  }
  return undefined
}

function faultOf({ name, pieces, isExcerpt }: JsonObject, members: JsonObject): string | undefined {
  const all = recordsIn(pieces)
  const text = all.map((piece) => String(piece.text)).join('')
  if (!all.some(({ isMatch }) => isMatch === true)) return `has no match in '${String(name)}'.`
  // A dotted name leads to another item, or into an object.
  if (typeof name !== 'string' || name.includes('.')) return undefined
  const value = members[name]
  const isPart = typeof value === 'string' && value.includes(text)
  if (isPart && (isExcerpt === true || value === text)) return undefined
  return `has the text ${JSON.stringify(text)} of '${name}'; the item has ${JSON.stringify(value ?? null)}.`
}

function membersOf(item: JsonObject): JsonObject {
  return isRecord(item.attributes) ? item.attributes : item
}
