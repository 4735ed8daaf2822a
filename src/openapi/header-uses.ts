import { pascalOf } from '../model/naming.ts'
import type { Declaration } from '../rule/declaration.ts'
import type { HeaderName, HeaderNames } from '../rule/rule.ts'
import { type HeaderText, headers, ofDocuments } from './headers.ts'

/** A header, and whether it is on every answer of that status. */
export interface HeaderUse {
  readonly text: HeaderText
  readonly always: boolean
}

/** By name in lower case. */
export type HeaderUses = Readonly<Record<string, HeaderUse>>

/** What is answered: a document, the bytes of a resource as they are, or that the client has those already. */
export type Answered = 'document' | 'bytes' | 'known bytes'

/** Those of all answers of that kind, with those of this one. */
export function usesOf(names: HeaderNames, declarations: readonly Declaration[], answered: Answered): HeaderUses {
  return { ...common[answered], ...saidByAll(declarations), ...named(names) }
}

/** Those of an answer that other code makes. */
export function usesOfDeclared(
  own: Readonly<Record<string, string>>,
  declarations: readonly Declaration[],
): HeaderUses {
  return { vary: { text: vary, always: true }, ...said(own), ...saidByAll(declarations) }
}

/** What only one of two answers has is not on both. */
export function usesOfEither(one: HeaderUses, other: HeaderUses): HeaderUses {
  const names = new Set([...Object.keys(one), ...Object.keys(other)])
  const uses = [...names].map((name): [string, HeaderUse] => {
    const [first, second] = [one[name], other[name]]
    return [name, { text: (first ?? second)!.text, always: (first?.always && second?.always) ?? false }]
  })
  return Object.fromEntries(uses)
}

/** What a header is called where several answers carry it. */
export function sharedHeaderName({ text, always }: HeaderUse): string {
  return (always ? '' : 'Optional') + pascalOf(text.name)
}

const { vary, 'x-content-type-options': nosniff } = ofDocuments

/** Resources have one form, whatever is accepted. */
const common: Readonly<Record<Answered, HeaderUses>> = {
  document: { vary: { text: vary, always: true }, 'x-content-type-options': { text: nosniff, always: true } },
  bytes: { 'x-content-type-options': { text: nosniff, always: true } },
  'known bytes': {},
}

function named(names: HeaderNames): HeaderUses {
  const uses = Object.entries(names).map(([name, use]) => [
    name,
    { text: headers[name as HeaderName], always: use === 'always' },
  ])
  return Object.fromEntries(uses)
}

function saidByAll(declarations: readonly Declaration[]): HeaderUses {
  return Object.assign({}, ...declarations.map((one) => said(one.headers ?? {})))
}

/** Whether code outside the service always sets them, nobody knows. */
function said(descriptions: Readonly<Record<string, string>>): HeaderUses {
  const uses = Object.entries(descriptions).map(([name, description]) => [
    name.toLowerCase(),
    { text: { ...known(name), description }, always: false },
  ])
  return Object.fromEntries(uses)
}

function known(name: string): Omit<HeaderText, 'description'> {
  return headers[name.toLowerCase() as HeaderName] ?? { name, schema: { type: 'string' } }
}
