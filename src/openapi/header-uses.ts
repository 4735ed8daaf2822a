import { toPascalCase } from '../model/naming.ts'
import type { Declaration, RuleDeclaration } from '../rule/declaration.ts'
import type { HeaderName, HeaderPresence } from '../rule/response-shape.ts'
import {
  documentHeaders,
  type HeaderDescription,
  headerDescriptions,
} from './header-descriptions.ts'

/** A header, and whether every response with that status has it. */
export interface HeaderUse {
  readonly header: HeaderDescription
  readonly isAlways: boolean
}

/** Keys are header names in lower case. */
export type HeaderUses = Readonly<Record<string, HeaderUse>>

/** A document, the bytes of a binary resource, or a 304 for these bytes. */
export type ResponseContentKind = 'document' | 'bytes' | 'unmodified bytes'

/** The headers of a response: those of its kind, declared ones, and its own. */
export function headerUses(
  names: HeaderPresence,
  declarations: readonly Declaration[],
  kind: ResponseContentKind,
): HeaderUses {
  return {
    ...commonHeaders[kind],
    ...declaredHeaders(declarations),
    ...describedHeaders(names),
  }
}

/** The headers that only some of the successful responses have. */
export function successHeaderUses(declarations: readonly RuleDeclaration[]): HeaderUses {
  const headers = declarations.flatMap(({ successHeaders = {} }) => Object.entries(successHeaders))
  return Object.fromEntries(
    headers.map(([name, header]): [string, HeaderUse] => [
      name.toLowerCase(),
      { header: { name, ...header }, isAlways: false },
    ]),
  )
}

/** The headers of a response that middleware declares. */
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

/** A header is required only if both responses require it. */
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

/** The component name of a header that several responses share. */
export function headerComponentName({ header, isAlways }: HeaderUse): string {
  return (isAlways ? '' : 'Optional') + toPascalCase(header.name)
}

const { vary, 'x-content-type-options': nosniff } = documentHeaders

/** Binary resources do not depend on `Accept`, so they have no `Vary`. */
const commonHeaders: Readonly<Record<ResponseContentKind, HeaderUses>> = {
  document: {
    vary: { header: vary, isAlways: true },
    'x-content-type-options': { header: nosniff, isAlways: true },
  },
  bytes: { 'x-content-type-options': { header: nosniff, isAlways: true } },
  'unmodified bytes': {},
}

function describedHeaders(names: HeaderPresence): HeaderUses {
  const uses = Object.entries(names).map(([name, use]): [string, HeaderUse] => [
    name,
    { header: headerDescriptions[name as HeaderName], isAlways: use === 'always' },
  ])
  return Object.fromEntries(uses)
}

function declaredHeaders(declarations: readonly Declaration[]): HeaderUses {
  return Object.assign({}, ...declarations.map(({ headers }) => customHeaders(headers ?? {})))
}

/** Middleware may set them or not, so they are optional. */
function customHeaders(descriptions: Readonly<Record<string, string>>): HeaderUses {
  const uses = Object.entries(descriptions).map(([name, description]): [string, HeaderUse] => [
    name.toLowerCase(),
    { header: { ...standardHeader(name), description }, isAlways: false },
  ])
  return Object.fromEntries(uses)
}

function standardHeader(name: string): Omit<HeaderDescription, 'description'> {
  return (
    headerDescriptions[name.toLowerCase() as HeaderName] ?? { name, schema: { type: 'string' } }
  )
}
