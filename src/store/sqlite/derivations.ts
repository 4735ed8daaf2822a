import { isDeepStrictEqual } from 'node:util'
import type { ModelDescription } from '../../model/model-description.ts'
import type { Connection } from './connection.ts'
import { noteInFile, removeNote, writeNote } from './file-notes.ts'

/** Of a derived field, in the notes of a file. */
interface Derivation {
  readonly from: readonly string[]
  readonly type: unknown
}

type Derivations = Readonly<Record<string, Derivation>>

/** Notes what derived fields are made of. Call it with each form of the items that is noted. */
export function noteDerivations(connection: Connection, model: ModelDescription): void {
  const key = derivationsKey(model.plural)
  if (model.derivedFields.length === 0) removeNote(connection, key)
  else writeNote(connection, key, JSON.stringify(derivationsOf(model)))
}

/**
 * Notes the sources that this process knows too. Call it where the form of the items stays:
 * processes with other sources of the same functions go on beside this one.
 */
export function noteSharedDerivations(connection: Connection, model: ModelDescription): void {
  if (model.derivedFields.length === 0) return
  const own = derivationsOf(model)
  const before = derivationsInFile(connection, model)
  const shared = Object.entries(before).map(([name, { from, type }]) => [
    name,
    { from: from.filter((source) => knows(own[name], source, type)), type },
  ])
  const note = JSON.stringify(Object.fromEntries(shared))
  if (note !== JSON.stringify(before)) writeNote(connection, derivationsKey(model.plural), note)
}

function knows(own: Derivation | undefined, source: string, type: unknown): boolean {
  if (!own?.from.includes(source)) return false
  return isDeepStrictEqual(own.type, type)
}

function derivationsOf({ derivedFields }: ModelDescription): Derivations {
  return Object.fromEntries(
    derivedFields.map(({ wireName, type, computed: { from } }) => [wireName, { from, type }]),
  )
}

function derivationsInFile(connection: Connection, { plural }: ModelDescription): Derivations {
  const note = noteInFile(connection, derivationsKey(plural))
  return note ? JSON.parse(String(note)) : {}
}

/**
 * May processes that serve the items as they are now show values of the new functions? Those who
 * read a derived field may read its sources, as the old processes know them: of another source they
 * know no rule. Their documents say the type.
 */
export function maySeeNewValues(connection: Connection, model: ModelDescription): boolean {
  const known = derivationsInFile(connection, model)
  return model.derivedFields.every(({ wireName, type, computed: { from } }) => {
    if (!Object.hasOwn(known, wireName)) return false
    const before = known[wireName]!
    const hasSameType = JSON.stringify(before.type) === JSON.stringify(type)
    return hasSameType && from.every((name) => before.from.includes(name))
  })
}

/** The key of the note about the derived fields of a model. */
export function derivationsKey(plural: string): string {
  return `derivations of ${plural}`
}
