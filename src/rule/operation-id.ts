import { capitalized } from '../model/naming.ts'
import type { Rule } from './rule.ts'

/**
 * The name of the operation in the document: the registered one, else it is built from the method and the path.
 *
 * | method and path | id |
 * | --- | --- |
 * | POST /books | postBooks |
 * | POST /books/:id | postBooksItemById |
 * | POST /books/import | postImportForBooks |
 * | POST /books/:id/check-out | postCheckOutForBooksItemById |
 * | GET /books/:id/cover/png/512 | getCoverPng512ForBooksItemById |
 */
export function operationIdOf({ operationId, method, path }: Pick<Rule, 'operationId' | 'method' | 'path'>): string {
  if (operationId !== undefined) return operationId
  const [collection = '', ...rest] = path.split('/').slice(1)
  const isItem = rest[0] === ':id'
  const further = (isItem ? rest.slice(1) : rest).map(joined).join('')
  const verb = method.toLowerCase()
  return `${verb}${further}${further && 'For'}${joined(collection)}${isItem ? 'ItemById' : ''}`
}

/** `check-out` is CheckOut; a further parameter, such as `:index`, is ByIndex. */
function joined(segment: string): string {
  if (segment.startsWith(':')) return `By${capitalized(segment.slice(1))}`
  return segment.split(/[-_]+/).map(capitalized).join('')
}
