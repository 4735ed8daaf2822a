import { valuesOf } from './data.ts'
import { bodyOf, linkage, type MatrixRequest, plurals, resourceOf, wireName } from './requests.ts'
import { files, type ModelName, modelNames, relations, type WorldState } from './state.ts'
import { type MatrixCaller, type Setting, unseenWritable } from './visible.ts'

/** What an item holds, and its caller does not see although it sees the item. */
interface HiddenMember {
  readonly name: ModelName
  readonly id: string
  readonly member: string
  readonly value: unknown
}

/**
 * Requests that name what is hidden from their caller as it is, for a number each: the item first,
 * whose tag the second one may send. A service whose answer shows that a guess is right answers in
 * another way than its twin, where nothing is stored.
 */
export function rightGuess(
  { policy }: Setting,
  caller: MatrixCaller,
  state: WorldState,
  seen: WorldState,
  dice: number,
  mayWrite: boolean,
): readonly MatrixRequest[] {
  const hidden = modelNames.flatMap((name) => hiddenMembers(name, state, seen))
  if (hidden.length === 0) return []
  const guessed = hidden[dice % hidden.length]!
  // The twin shows what was written, because nothing is hidden there.
  const isShownInTwin = unseenWritable(caller).has(`${guessed.name}.${guessed.member}`)
  const writes = mayWrite && !isShownInTwin ? writeGuesses(policy, guessed) : []
  const guesses = [...readGuesses(guessed), ...writes]
  const item = { method: 'GET', path: pathOf(guessed), headers: {} }
  return [item, guesses[Math.floor(dice / hidden.length) % guesses.length]!]
}

function hiddenMembers(
  name: ModelName,
  state: WorldState,
  seen: WorldState,
): readonly HiddenMember[] {
  const members = [...Object.keys(valuesOf[name]), ...Object.keys(relations[name]), ...files[name]]
  return [...seen[name].values()].flatMap((shown) =>
    members.flatMap((member): HiddenMember[] => {
      const value = state[name].get(shown.id)?.[member]
      const isHidden = shown[member] === undefined || shown[member] === null
      const isThere = value !== undefined && value !== null && `${value}` !== ''
      return isHidden && isThere ? [{ name, id: shown.id, member, value }] : []
    }),
  )
}

const pathOf = ({ name, id }: HiddenMember) => `/${plurals[name]}/${id}`

function readGuesses({ name, id, member, value }: HiddenMember): readonly MatrixRequest[] {
  const path = wireName(member)
  const texts = (Array.isArray(value) ? value : [value]).map((each) =>
    typeof each === 'object' ? Object.entries(each as object)[0]! : (['', String(each)] as const),
  )
  const [inner, text] = texts[0]!
  const place = inner === '' ? path : `${path}.${inner}`
  const filter = `filter[${place}][${Array.isArray(value) ? 'any' : 'eq'}]=${encodeURIComponent(`${text}`)}`
  return [
    filter,
    `${filter}&filter[id][eq]=${id}&withCount=true&page[size]=1`,
    `sort=${place}`,
  ].map((query) => ({ method: 'GET', path: `/${plurals[name]}?${query}`, headers: {} }))
}

function writeGuesses(policy: Setting['policy'], guessed: HiddenMember): readonly MatrixRequest[] {
  const { name, id, member, value } = guessed
  const path = pathOf(guessed)
  const tag = { header: 'if-match', from: 'own', pick: 0 } as const
  if (files[name].includes(member)) {
    const upload = {
      method: 'POST',
      path: `${path}/${member}`,
      headers: { 'content-type': 'text/plain' },
      body: String(value),
    }
    return [upload, { ...upload, isRepeated: true }]
  }
  const headers = {
    'content-type': policy === 'rest' ? 'application/json' : 'application/vnd.api+json',
  }
  const bodyId = policy === 'rest' ? undefined : id
  const body = JSON.stringify(bodyOf(policy, name, bodyId, { [member]: value }))
  const change = { method: 'PATCH', path, headers, body }
  const shape = relations[name][member]
  const relationship = ['PATCH', 'POST', 'DELETE'].map((method) => ({
    method,
    path: `${path}/relationships/${member}`,
    headers,
    body: JSON.stringify({ data: shape && linkage(shape.target, value) }),
  }))
  const update = { op: 'update', data: resourceOf(name, id, { [member]: value }) }
  const batch = {
    method: 'POST',
    path: '/operations',
    headers: { 'content-type': `${headers['content-type']};ext="https://jsonapi.org/ext/atomic"` },
    body: JSON.stringify({ 'atomic:operations': [update] }),
  }
  const create = {
    method: 'POST',
    path: `/${plurals[name]}`,
    headers,
    body: JSON.stringify(bodyOf(policy, name, 'n3', { ...requiredOf(name), [member]: value })),
  }
  return [
    change,
    { ...change, tag },
    { ...change, isRepeated: true },
    create,
    ...(policy === 'json-api' ? [batch] : []),
    ...(policy === 'json-api' && shape ? relationship : []),
  ]
}

/** Values of the members without which there is no item, the last ones of their lists. */
function requiredOf(name: ModelName): Readonly<Record<string, unknown>> {
  const first = Object.entries(valuesOf[name])[0]!
  return { [first[0]]: first[1].at(-1) }
}
