import { createHash } from 'node:crypto'
import { toPascalCase } from '../model/naming.ts'
import type { Rule } from './rule.ts'

/**
 * The name of the operation in the document: the registered one, else it is built from the method
 * and the path.
 *
 * | method and path | id |
 * | --- | --- |
 * | POST /books | postBooks |
 * | POST /books/:id | postBooksItemById |
 * | POST /books/import | postImportForBooks |
 * | POST /books/:id/check-out | postCheckOutForBooksItemById |
 * | GET /books/:id/cover/png/512 | getCoverPng512ForBooksItemById |
 */
export function operationIdOf({
  operationId,
  method,
  path,
}: Pick<Rule, 'operationId' | 'method' | 'path'>): string {
  if (operationId !== undefined) return operationId
  const [collection = '', ...rest] = path.split('/').slice(1)
  const isItem = rest[0] === ':id'
  const further = (isItem ? rest.slice(1) : rest).map(toIdPart).join('')
  const verb = method.toLowerCase()
  return truncateId(
    `${verb}${further}${further && 'For'}${toIdPart(collection)}${isItem ? 'ItemById' : ''}`,
  )
}

/** `check-out` is CheckOut; a further parameter, such as `:index`, is ByIndex. */
function toIdPart(segment: string): string {
  return segment.startsWith(':') ? `By${toPascalCase(segment.slice(1))}` : toPascalCase(segment)
}

const maxIdLength = 64

/**
 * Code that is made from documents names functions and files after ids, so that very long ones end
 * in a digest of themselves.
 */
function truncateId(id: string): string {
  if (id.length <= maxIdLength) return id
  const digest = createHash('sha256').update(id).digest('hex').slice(0, 8)
  return id.slice(0, maxIdLength - digest.length) + digest
}
