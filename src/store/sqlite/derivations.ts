import type { ModelDescription } from '../../model/model-description.ts'
import type { Connection } from './connection.ts'
import { noteInFile, removeNote, writeNote } from './file-notes.ts'

/** Of a derived field, in the notes of a file. */
interface Derivation {
  readonly from: readonly string[]
  readonly type: unknown
}

/** Notes what derived fields are made of. Call it with each form of the items that is noted. */
export function noteDerivations(connection: Connection, model: ModelDescription): void {
  const key = derivationsKey(model.plural)
  if (model.derivedFields.length === 0) {
    removeNote(connection, key)
    return
  }
  const derivations = model.derivedFields.map(({ wireName, type, computed: { from } }) => [
    wireName,
    { from, type } satisfies Derivation,
  ])
  writeNote(connection, key, JSON.stringify(Object.fromEntries(derivations)))
}

/**
 * May processes that serve the items as they are now show values of the new functions? Those who
 * read a derived field may read its sources, as the old processes know them: of another source they
 * know no rule. Their documents say the type.
 */
export function maySeeNewValues(connection: Connection, model: ModelDescription): boolean {
  const note = noteInFile(connection, derivationsKey(model.plural))
  const known: Readonly<Record<string, Derivation>> = note ? JSON.parse(String(note)) : {}
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
