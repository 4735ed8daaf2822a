import { toPascalCase } from '../model/naming.ts'
import type { Declaration } from '../rule/declaration.ts'
import type { HeaderName, HeaderPresence } from '../rule/rule.ts'
import {
  documentHeaders,
  type HeaderDescription,
  headerDescriptions,
} from './header-descriptions.ts'

/** A header, and whether it is on every answer of that status. */
export interface HeaderUse {
  readonly header: HeaderDescription
  readonly isAlways: boolean
}

/** By name in lower case. */
export type HeaderUses = Readonly<Record<string, HeaderUse>>

/**
 * What is answered: a document, the bytes of a resource as they are, or that the client has those
 * already.
 */
export type ResponseContentKind = 'document' | 'bytes' | 'known bytes'

/** Those of all answers of that kind, with those of this one. */
export function headerUses(
  names: HeaderPresence,
  declarations: readonly Declaration[],
  answered: ResponseContentKind,
): HeaderUses {
  return {
    ...commonHeaders[answered],
    ...declaredHeaders(declarations),
    ...describedHeaders(names),
  }
}

/** Those of an answer that other code makes. */
export function declaredHeaderUses(
  own: Readonly<Record<string, string>>,
  declarations: readonly Declaration[],
): HeaderUses {
  return {
    vary: { header: vary, isAlways: true },
    ...customHeaders(own),
    ...declaredHeaders(declarations),
  }
}

/** What only one of two answers has is not on both. */
export function mergeHeaderUses(one: HeaderUses, other: HeaderUses): HeaderUses {
  const names = new Set([...Object.keys(one), ...Object.keys(other)])
  const uses = [...names].map((name): [string, HeaderUse] => {
    const [first, second] = [one[name], other[name]]
    return [
      name,
      {
        header: (first ?? second)!.header,
        isAlways: (first?.isAlways && second?.isAlways) ?? false,
      },
    ]
  })
  return Object.fromEntries(uses)
}

/** What a header is called where several answers carry it. */
export function headerComponentName({ header, isAlways }: HeaderUse): string {
  return (isAlways ? '' : 'Optional') + toPascalCase(header.name)
}

const { vary, 'x-content-type-options': nosniff } = documentHeaders

/** Resources have one form, whatever is accepted. */
const commonHeaders: Readonly<Record<ResponseContentKind, HeaderUses>> = {
  document: {
    vary: { header: vary, isAlways: true },
    'x-content-type-options': { header: nosniff, isAlways: true },
  },
  bytes: { 'x-content-type-options': { header: nosniff, isAlways: true } },
  'known bytes': {},
}

function describedHeaders(names: HeaderPresence): HeaderUses {
  const uses = Object.entries(names).map(([name, use]): [string, HeaderUse] => [
    name,
    { header: headerDescriptions[name as HeaderName], isAlways: use === 'always' },
  ])
  return Object.fromEntries(uses)
}

function declaredHeaders(declarations: readonly Declaration[]): HeaderUses {
  return Object.assign({}, ...declarations.map((one) => customHeaders(one.headers ?? {})))
}

/** Whether code outside the service always sets them, nobody knows. */
function customHeaders(descriptions: Readonly<Record<string, string>>): HeaderUses {
  const uses = Object.entries(descriptions).map(([name, description]): [string, HeaderUse] => [
    name.toLowerCase(),
    { header: { ...knownHeader(name), description }, isAlways: false },
  ])
  return Object.fromEntries(uses)
}

function knownHeader(name: string): Omit<HeaderDescription, 'description'> {
  return (
    headerDescriptions[name.toLowerCase() as HeaderName] ?? { name, schema: { type: 'string' } }
  )
}
