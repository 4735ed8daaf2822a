import type { ModelDescription } from '../model/model-description.ts'
import type { Schema } from '../schema/standard-schema.ts'
import { defaultValueOf } from './default-value.ts'
import { type MemberChange, memberChanges } from './member-changes.ts'
import { memberOffset } from './member-texts.ts'
import { fingerprintEntry } from './migrate-item.ts'
import { randomVersion } from './random-version.ts'
import type { StoredItem } from './stored-item.ts'
import { formerNamesOf } from './stored-names.ts'

/** The parts of a stored item that an edit reads. */
export type EditedParts = Pick<StoredItem, 'text' | 'relationsOffset' | 'hiddenText'>

/**
 * Changes the text of a stored item as its model has changed. Returns the texts themselves if
 * nothing changes, and undefined where only `migrateItem` tells what becomes of the item.
 */
type TextEdit = (parts: EditedParts) => Texts | undefined

/** How texts change with their model. */
export interface TextEditing {
  readonly edit: TextEdit
  /** What edited versions end with, in place of as many characters. */
  readonly versionEnd: string
}

/**
 * How the texts of items change with their model, where renamed members and new fields are all that
 * changes: these are written into the texts, and nothing else is read. Undefined for other changes,
 * and where a default is asynchronous.
 *
 * An edited version begins as the former one. Half of either is as hard to guess as a random UUID.
 *
 * @param writtenUnder the entries of the fingerprint under which the items were written
 */
export function textEditing(
  model: ModelDescription,
  writtenUnder: ReadonlySet<string>,
): TextEditing | undefined {
  const changes = memberChanges(model, writtenUnder)
  if (!changes || changes.some(hasAsyncDefault)) return undefined
  // Values under former names may come back, too, whatever else has changed of the member.
  const formerNames = [...model.valueFields, ...model.ownedRelations]
    .filter((member) => !writtenUnder.has(fingerprintEntry(member)))
    .flatMap(formerNamesOf)
  const names = [...changes.flatMap(namesOf), ...formerNames].map((name) => JSON.stringify(name))
  const editors = changes.flatMap(editorOf)
  const versionEnd = randomVersion().slice(-versionEndLength)
  const addVersion: Editor = model.hashField ? versionEditor(versionEnd) : (texts) => texts
  return {
    versionEnd,
    edit(parts) {
      const { hiddenText } = parts
      // What a former model had comes back from there.
      if (hiddenText !== null && names.some((name) => hiddenText.includes(name))) return undefined
      let edited: Texts | undefined = parts
      for (const edit of editors) {
        edited = edit(edited)
        if (!edited) return undefined
      }
      return edited === parts ? parts : addVersion(edited)
    },
  }
}

const versionLength = 43
const versionEndLength = 21

function versionEditor(versionEnd: string): Editor {
  return ({ text, relationsOffset }) =>
    text.at(-versionLength - 3) === '"' && text.endsWith('"}')
      ? { text: `${text.slice(0, -versionEndLength - 2)}${versionEnd}"}`, relationsOffset }
      : undefined
}

function hasAsyncDefault(change: MemberChange): boolean {
  const value = change.kind === 'added' ? defaultValueOf(change.schema) : undefined
  // The migration of an item, which needs the value, reports the error.
  if (value instanceof Promise) value.catch(() => {})
  return value instanceof Promise
}

function namesOf(change: MemberChange): readonly string[] {
  return change.kind === 'renamed' ? [change.from, change.to] : [change.name]
}

export type Texts = Pick<StoredItem, 'text' | 'relationsOffset'>
/** Undefined where the text does not look as expected. */
type Editor = (texts: Texts) => Texts | undefined

function editorOf(change: MemberChange): readonly Editor[] {
  switch (change.kind) {
    case 'optional':
      return []
    case 'renamed':
      return [renamer(prefixOf(change.from), prefixOf(change.to))]
    case 'added':
      return [adder(prefixOf(change.name), change.following.map(prefixOf), change.schema)]
  }
}

/** What stands before the value of a member: the id is the first. */
function prefixOf(name: string): string {
  return `,${JSON.stringify(name)}:`
}

function renamer(from: string, to: string): Editor {
  return (texts) => {
    const { text, relationsOffset } = texts
    const offset = memberOffset(text, from)
    if (offset === undefined || text.includes(to)) return undefined
    if (offset === -1) return texts
    return {
      text: text.slice(0, offset) + to + text.slice(offset + from.length),
      relationsOffset:
        offset < relationsOffset ? relationsOffset + to.length - from.length : relationsOffset,
    }
  }
}

function adder(prefix: string, following: readonly string[], schema: Schema): Editor {
  return (texts) => {
    const { text, relationsOffset } = texts
    if (text.includes(prefix)) return undefined
    const value = defaultValueOf(schema)
    if (value instanceof Promise) return undefined
    const json: string | undefined = JSON.stringify(value)
    if (json === undefined) return texts
    let offset = relationsOffset
    for (const next of following) {
      const nextOffset = memberOffset(text, next)
      if (nextOffset === undefined) return undefined
      if (nextOffset === -1 || nextOffset > relationsOffset) continue
      offset = nextOffset
      break
    }
    return {
      text: text.slice(0, offset) + prefix + json + text.slice(offset),
      relationsOffset: relationsOffset + prefix.length + json.length,
    }
  }
}
