import { singularize } from 'inflection'
import { formatPointer } from '../../http/json/json-pointer.ts'
import { isMemberName, pluralOf } from '../../model/naming.ts'
import { capitalize } from '../../text/message-text.ts'
import { memberName, toCamelCase } from '../pull/names.ts'
import { guessIds } from './guess-ids.ts'
import { addInverses, guessRelation } from './guess-relations.ts'
import { guessSchema, membersOf, optional } from './guess-schema.ts'
import type { GuessedMember, GuessedModel } from './guessed-model.ts'
import { type Collection, readData, throwFaults } from './read-data.ts'

export interface Guess {
  readonly models: readonly GuessedModel[]
  /** What differs from the file. */
  readonly notes: readonly string[]
}

/**
 * The models of a JSON file: `{ "books": [{ "id": 1, "title": "Emma", "authorId": 1 }] }`.
 * @throws Error that says what is wrong with the file, and where
 */
export function guessModels(file: string): Guess {
  const faults: string[] = []
  const notes: string[] = []
  const taken = new Set<string>()
  const models = readData(file).map((collection) => {
    const ids = guessIds(collection, faults)
    return { collection, ids, members: [], ...namesOf(collection, taken, faults, notes) }
  })
  throwFaults(file, faults)
  for (const model of models) addMembers(model, models, notes)
  addInverses(models)
  return { models, notes }
}

function addMembers(model: GuessedModel, models: readonly GuessedModel[], notes: string[]): void {
  const { collection, members } = model
  const { items } = collection
  const byKey = membersOf(items)
  // Names that are valid stay as they are, so those of others must differ from them.
  const taken = new Set([...byKey.keys()].filter(isMemberName))
  for (const [key, values] of byKey) {
    if (key === 'id') continue
    const present = items.flatMap((item, index) =>
      Object.hasOwn(item, key) ? [{ index, value: item[key] }] : [],
    )
    const member =
      guessRelation(key, present, model, models, notes) ??
      fieldMember(key, values, values.length < items.length, taken)
    taken.add(member.name)
    if (member.name !== key)
      notes.push(`${formatPointer([collection.key])}: '${key}' becomes '${member.name}'.`)
    members.push(member)
  }
}

function fieldMember(
  key: string,
  values: readonly unknown[],
  isOptional: boolean,
  taken: ReadonlySet<string>,
): GuessedMember {
  const guess = guessSchema(values)
  const { text, schema } = isOptional ? optional(guess) : guess
  const name = isMemberName(key) && key !== 'hash' ? key : memberName([key], taken)
  return { name, text, uses: 'schema', value: schema, source: { key, load: (value) => value } }
}

/** The names of the model of a collection. Its plural, and so its address, is that of the file. */
function namesOf(
  { key, kind }: Collection,
  taken: Set<string>,
  faults: string[],
  notes: string[],
): Pick<GuessedModel, 'name' | 'plural' | 'className'> {
  const camel = toCamelCase(key)
  const isValid = isMemberName(camel) && camel !== 'id' && camel !== 'hash'
  if (!isValid || taken.has(camel))
    faults.push(
      `${formatPointer([key])}: '${key}' cannot be the name of a list; expected letters, then letters and digits, such as 'books', and no other list of that name.`,
    )
  const singular = kind === 'single' ? camel : singularOf(camel)
  // A model must differ from its plural, as 'news' does not.
  const plural = kind === 'single' ? pluralOf(camel) : camel
  const name = singular === plural ? `${singular}Item` : singular
  taken.add(plural).add(name)
  if (plural !== key) notes.push(`'${key}' is at /${plural}.`)
  return { name, plural, className: classNameOf(name) }
}

/** Puts the last word into the singular. */
function singularOf(name: string): string {
  const start = name.search(/[A-Z][^A-Z]*$/)
  if (start <= 0) return singularize(name)
  return name.slice(0, start) + capitalize(singularize(name.slice(start).toLowerCase()))
}

/** The code needs what these names mean. */
const builtIns: ReadonlySet<string> = new Set([
  'Array',
  'Error',
  'Object',
  'Promise',
  'String',
  'URL',
])

function classNameOf(name: string): string {
  const className = capitalize(
    name.replaceAll(/[-_]+(.?)/g, (_, letter: string) => letter.toUpperCase()),
  )
  return builtIns.has(className) ? `${className}Model` : className
}
