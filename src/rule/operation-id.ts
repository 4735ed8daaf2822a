import { createHash } from 'node:crypto'
import { toPascalCase } from '../model/naming.ts'
import type { Rule } from './rule.ts'

/**
 * The operation id in the document: the registered one, else it is made of the method and the path.
 *
 * | method and path | id |
 * | --- | --- |
 * | POST /books | postBooks |
 * | POST /books/:id | postBooksItemById |
 * | POST /books/import | postImportForBooks |
 * | POST /books/:id/check-out | postCheckOutForBooksItemById |
 * | GET /books/:id/cover/png/512 | getCoverPng512ForBooksItemById |
 *
 * ```ts
 * operationIdOf({ method: 'POST', path: '/books/:id/check-out' }) // 'postCheckOutForBooksItemById'
 * ```
 */
export function operationIdOf({
  operationId,
  method,
  path,
}: Pick<Rule, 'operationId' | 'method' | 'path'>): string {
  if (operationId !== undefined) return operationId
  const [collection = '', ...rest] = path.split('/').slice(1)
  const isItem = rest[0] === ':id'
  const suffix = (isItem ? rest.slice(1) : rest).map(toIdWord).join('')
  const verb = method.toLowerCase()
  return truncateId(
    `${verb}${suffix}${suffix && 'For'}${toIdWord(collection)}${isItem ? 'ItemById' : ''}`,
  )
}

/** `check-out` becomes `CheckOut`; a further parameter such as `:index` becomes `ByIndex`. */
function toIdWord(segment: string): string {
  return segment.startsWith(':') ? `By${toPascalCase(segment.slice(1))}` : toPascalCase(segment)
}

const maxIdLength = 64

/** Code generators use ids as names of functions and files, so a long id ends in a digest. */
function truncateId(id: string): string {
  if (id.length <= maxIdLength) return id
  const digest = createHash('sha256').update(id).digest('hex').slice(0, 8)
  return id.slice(0, maxIdLength - digest.length) + digest
}
