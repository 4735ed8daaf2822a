import { isDeepStrictEqual } from 'node:util'
import type { Store } from 'resourcery'
import { disposeTogether } from '../../support/dispose-together.ts'
import { Correspondence, Leak, type Pair } from './compare-answers.ts'
import { derivedMembers, uniqueSets } from './data.ts'
import { type Answer, headerOf, type SentRequest, send } from './exchange.ts'
import { rightGuess } from './guesses.ts'
import { type MatrixRequest, type TagHeader, wireName } from './requests.ts'
import { ruleSentencesOf, settleDocument } from './settle-document.ts'
import { mapState, modelNames, ruledRollups, type WorldState } from './state.ts'
import {
  hiddenFields,
  type MatrixCaller,
  missingFields,
  type Setting,
  shownAs,
  unseenWritable,
} from './visible.ts'
import {
  headersOf,
  openMain,
  openTwin,
  readState,
  visibleState,
  type World,
  withoutRefused,
} from './world.ts'

export interface MatrixRun {
  readonly setting: Setting
  readonly caller: MatrixCaller
  readonly state: WorldState
  readonly requests: readonly MatrixRequest[]
  /** Picks what the caller guesses rightly of what it does not see, after its other requests. */
  readonly guesses: readonly number[]
  /** Are there requests that change items? */
  readonly isReadOnly: boolean
}

/** What the runs of a matrix had to do with. */
export class MatrixCounts {
  requests = 0
  writes = 0
  /** Requests that name what is hidden as it is. */
  guesses = 0
  /** Conflicts with what is hidden, which databases cannot keep quiet. */
  conflicts = 0
  readonly statuses = new Map<number, number>()

  toString(): string {
    const statuses = [...this.statuses].sort(([one], [other]) => one - other)
    return `${this.requests} requests, ${this.writes} of them changed items, ${this.guesses} right guesses, ${this.conflicts} conflicts with hidden items; ${statuses.map(([status, count]) => `${status}: ${count}`).join(', ')}`
  }
}

/** Runs what the service does, and not what its twin does. */
export type InMain = <T>(work: () => Promise<T>) => Promise<T>

/**
 * Sends the requests to the service and to its twin.
 * @throws Leak where the answers differ
 */
export async function runMatrix(
  makeStore: () => Promise<Store>,
  { setting, caller, state, requests, guesses, isReadOnly }: MatrixRun,
  counts: MatrixCounts,
  inMain: InMain = (work) => work(),
): Promise<void> {
  // A long form would else keep the routers and stores of all runs.
  const opened: World[] = []
  const openFor = async (open: (store: Store) => Promise<World>) => {
    const world = await open(await makeStore())
    opened.push(world)
    return world
  }
  const openTwinOf = (all: WorldState) => openFor((store) => openTwin(store, setting, caller, all))
  try {
    const main = await openFor((store) => inMain(() => openMain(store, setting, state)))
    const twin = await openTwinOf(state)
    const session = new Session(openTwinOf, inMain, main, twin, setting, caller, state, counts)
    if (await session.run(requests)) await session.guess(guesses, !isReadOnly)
  } finally {
    for (const { router } of opened) await disposeTogether(() => router.close())
  }
}

interface LearnedTag extends Pair {
  readonly url: string
}

class Session {
  readonly #openTwin: (state: WorldState) => Promise<World>
  readonly #inMain: InMain
  readonly #main: World
  #twin: World
  readonly #setting: Setting
  readonly #caller: MatrixCaller
  readonly #counts: MatrixCounts
  #state: WorldState
  #correspondence = new Correspondence()
  #tags: LearnedTag[] = []
  #links: readonly Pair[] = []

  constructor(
    openTwinOf: (state: WorldState) => Promise<World>,
    inMain: InMain,
    main: World,
    twin: World,
    setting: Setting,
    caller: MatrixCaller,
    state: WorldState,
    counts: MatrixCounts,
  ) {
    this.#openTwin = openTwinOf
    this.#inMain = inMain
    this.#main = main
    this.#twin = twin
    this.#setting = setting
    this.#caller = caller
    this.#state = state
    this.#counts = counts
  }

  /** @returns false after a conflict with what is hidden: the worlds differ then */
  async run(requests: readonly MatrixRequest[]): Promise<boolean> {
    for (const request of requests) if ((await this.#step(request)) === 'conflict') return false
    return true
  }

  /** Sends what is hidden from the caller, as it is now. */
  async guess(dice: readonly number[], mayWrite: boolean): Promise<void> {
    for (const each of dice) {
      const seen = visibleState(this.#setting, this.#caller, this.#state)
      const requests = rightGuess(this.#setting, this.#caller, this.#state, seen, each, mayWrite)
      this.#counts.guesses += Math.min(requests.length, 1)
      if (!(await this.run(requests))) return
    }
  }

  async #step(request: MatrixRequest): Promise<'conflict' | undefined> {
    const sent = await this.#requests(request)
    if (!sent) return
    const [main, twin] = await this.#send(sent)
    try {
      // Code that asks for an unknown name in a transaction undoes it.
      if (main.status >= 500 && !sent[0].url.endsWith('/search'))
        throw new Leak(`The status is ${main.status}: ${main.text}`)
      const isRead =
        ['GET', 'HEAD', 'QUERY'].includes(sent[0].method) || sent[0].url.endsWith('/search')
      const url = addressOf(sent[0]).replace(/page%5B(?:after|before)%5D=[^&]*/, '')
      const isDocument = url === '/openapi.json'
      if (isDocument) this.#checkRuleSentences(main)
      const links = isDocument
        ? this.#correspondence.compare(url, settleDocument(main), settleDocument(twin))
        : this.#correspondence.compare(url, main, twin)
      if (links.length > 0) this.#links = [...links, ...this.#links].slice(0, 8)
      const tags = [headerOf(main, 'etag'), headerOf(twin, 'etag')]
      if (isRead && tags[0] !== undefined)
        this.#tags.push({ url: addressOf(sent[0]), main: tags[0], twin: tags[1]! })
      if (request.isRepeated)
        this.#correspondence.compare(`${url} again`, ...(await this.#send(sent)))
      if (!isRead && main.status < 300)
        await this.#compareStates(
          sent[0].method === 'DELETE' || (sent[0].body ?? '').includes('"remove"'),
        )
    } catch (error) {
      if (!(error instanceof Leak)) throw error
      if (main.status === 409 && this.#isHiddenConflict(main)) {
        this.#counts.conflicts++
        return 'conflict'
      }
      throw new Leak(
        `${describe(sent[0])}\nby ${JSON.stringify(this.#caller)} under ${JSON.stringify(this.#setting)}\n${error.message}`,
      )
    }
  }

  async #send([main, twin]: readonly [SentRequest, SentRequest]): Promise<[Answer, Answer]> {
    const answers = await Promise.all([
      this.#inMain(() => send(this.#main, main)),
      send(this.#twin, twin),
    ])
    const { status } = answers[0]
    this.#counts.requests++
    this.#counts.statuses.set(status, (this.#counts.statuses.get(status) ?? 0) + 1)
    return answers
  }

  /** The request for each of the worlds. */
  async #requests(
    request: MatrixRequest,
  ): Promise<readonly [SentRequest, SentRequest] | undefined> {
    const { method, path, tag, follow } = request
    const body = withoutUnseen(request, unseenWritable(this.#caller))
    const headers = {
      ...request.headers,
      ...headersOf(this.#caller),
      ...(request.isRepeated && { 'idempotency-key': `"key-${this.#counts.requests}"` }),
    }
    if (follow !== undefined) {
      const link = this.#links[follow % Math.max(1, this.#links.length)]
      return (
        link && [
          followed({ method, headers, url: link.main }),
          followed({ method, headers, url: link.twin }),
        ]
      )
    }
    const pair = tag && (await this.#tagFor(tag, path))
    const tagged = (value: string | undefined) =>
      value === undefined ? headers : { ...headers, [tag!.header]: value }
    return [
      { method, url: path, body, headers: tagged(pair?.main) },
      { method, url: path, body, headers: tagged(pair?.twin) },
    ]
  }

  async #tagFor({ from, pick, header }: TagHeader, path: string): Promise<Pair | undefined> {
    if (from === 'any') {
      const strong = this.#tags.filter((each) => !each.main.startsWith('W/'))
      return strong[pick % Math.max(1, strong.length)]
    }
    if (from === 'own') return this.#tags.findLast(({ url }) => url === path)
    const admin = { id: 'root', roles: ['admin'], tenant: this.#caller?.tenant ?? 'a' }
    const tagOf = async (world: World, caller: MatrixCaller) => {
      const get = () => send(world, { method: 'GET', url: path, headers: headersOf(caller) })
      return headerOf(world === this.#main ? await this.#inMain(get) : await get(), 'etag')
    }
    const adminTag = await tagOf(this.#main, admin)
    if (adminTag === undefined) return undefined
    const known = await tagOf(this.#main, this.#caller)
    const twin = await tagOf(this.#twin, this.#caller)
    const isSame =
      header === 'if-match'
        ? versionOf(known) === versionOf(adminTag) && known !== undefined
        : known === adminTag
    return { main: adminTag, twin: isSame && twin !== undefined ? twin : noTag }
  }

  async #compareStates(isDeletion: boolean): Promise<void> {
    this.#counts.writes++
    const before = this.#state
    this.#state = await readState(this.#main)
    if (!isDeletion) this.#checkHiddenIsKept(before)
    const allowed = (state: WorldState) =>
      comparable(withoutRefused(this.#setting, this.#caller, state))
    const twinState = await readState(this.#twin)
    const seenNow = visibleState(this.#setting, this.#caller, this.#state)
    const expected = allowed(this.#withoutRevealed(before, seenNow, twinState))
    // Rules look at related items that the twin does not have, so the service decides for both.
    const seen = { setting: this.#setting, caller: this.#caller, state: this.#state }
    const actual = allowed(shownAs(seen, twinState))
    for (const name of modelNames)
      for (const id of new Set([...actual[name].keys(), ...expected[name].keys()])) {
        const [one, other] = [expected[name].get(id), actual[name].get(id)]
        if (!isDeepStrictEqual(one, other))
          throw new Leak(
            `After the write, ${name} ${id} differs:\n  main: ${JSON.stringify(one)}\n  twin: ${JSON.stringify(other)}`,
          )
      }
    // A write can hide what the caller saw before, and nothing hides it in the twin; or it shows
    // what was hidden, and the twin does not have it.
    if (
      !isDeepStrictEqual(withoutRuled(comparable(twinState)), withoutRuled(actual)) ||
      !isDeepStrictEqual(allowed(seenNow), expected)
    )
      this.#twin = await this.#openTwin(this.#state)
    // A version of what a caller sees comes back with what it sees, and others never do.
    this.#correspondence = new Correspondence()
    this.#tags = []
  }

  /** What the caller sees, but for what was hidden from it before, and is not in the twin. */
  #withoutRevealed(before: WorldState, seen: WorldState, twin: WorldState): WorldState {
    const seenBefore = visibleState(this.#setting, this.#caller, before)
    return mapState(seen, (name, item) => {
      const shownBefore = seenBefore[name].get(item.id)
      const stored = before[name].get(item.id)
      if (!shownBefore || !stored) return item
      const isRevealed = ([member, value]: [string, unknown]) =>
        !Array.isArray(value) &&
        (shownBefore[member] ?? null) === null &&
        (twin[name].get(item.id)?.[member] ?? null) === null &&
        // What is made of a revealed member may change with another one.
        (derivedMembers.has(`${name}.${member}`) ||
          ((stored[member] ?? null) !== null && isDeepStrictEqual(stored[member], value)))
      return Object.fromEntries(
        Object.entries(item).filter((entry) => !isRevealed(entry)),
      ) as typeof item
    })
  }

  /** A write without a deletion changes nothing that the caller did not see before. */
  #checkHiddenIsKept(before: WorldState): void {
    const seen = visibleState(this.#setting, this.#caller, before)
    for (const name of modelNames)
      for (const item of before[name].values())
        for (const [member, value] of Object.entries(item)) {
          if (derivedMembers.has(`${name}.${member}`)) continue
          const hidden = unseenPart(value, seen[name].get(item.id)?.[member])
          const now = this.#state[name].get(item.id)?.[member]
          const isKept = Array.isArray(hidden)
            ? hidden.every((id) => (now as readonly unknown[] | undefined)?.includes(id))
            : hidden === undefined || isDeepStrictEqual(hidden, now)
          // What the caller may replace without seeing it: a link to a hidden item.
          if (!isKept && !(typeof hidden === 'string' && typeof now === 'string'))
            throw new Leak(
              `The write changes '${member}' of ${name} ${item.id}, which is hidden: ${JSON.stringify(hidden)}, ${JSON.stringify(now)}`,
            )
        }
  }

  #checkRuleSentences(document: Answer): void {
    const hidden = [...missingFields(this.#caller), ...hiddenFields].map(
      (path) => path.split('.')[1]!,
    )
    for (const sentence of ruleSentencesOf(document))
      for (const name of hidden)
        if (sentence.includes(`'${name}'`) || sentence.includes(`.${name}'`))
          throw new Leak(`The document names '${name}': ${sentence}`)
  }

  /** Is there hidden data that the write can have met? */
  #isHiddenConflict({ text }: Answer): boolean {
    const seen = visibleState(this.#setting, this.#caller, this.#state)
    const hidesItem = modelNames.some((name) => seen[name].size < this.#state[name].size)
    if (/"already-exists"|"still-referenced"/.test(text)) return hidesItem
    if (!text.includes('"value-taken"')) return false
    return uniqueSets.some(([name, members]) =>
      [...this.#state[name].values()].some((item) =>
        members.some(
          (member) => item[member] !== undefined && seen[name].get(item.id)?.[member] === undefined,
        ),
      ),
    )
  }
}

/** The address with all that chooses the document: the body of `QUERY` has the query. */
function addressOf({ method, url, headers, body = '' }: SentRequest): string {
  return method === 'QUERY' ? `${url}?${body} ${headers.accept ?? ''}` : url
}

/** `QUERY` has the query of a link in its body. */
function followed(request: SentRequest): SentRequest {
  if (request.method !== 'QUERY') return request
  const [url = '', body = ''] = request.url.split('?')
  return { ...request, url, body }
}

/** A tag of the usual length that no item has. */
const noTag = `"${'A'.repeat(43)}"`

/** What a caller does not see of a value; undefined if nothing is hidden. */
function unseenPart(value: unknown, seen: unknown): unknown {
  if (value === null || value === undefined) return undefined
  if (Array.isArray(value))
    return value.filter((each) => !(seen as readonly unknown[] | undefined)?.includes(each))
  return seen === undefined || seen === null ? value : undefined
}

function versionOf(tag: string | undefined): string | undefined {
  return tag?.replace(/^W\//, '').slice(1, -1).split('.')[0]
}

/** The state without what items lack. */
function comparable(state: WorldState): WorldState {
  return mapState(state, (_, item) => {
    const members = Object.entries(item).filter(
      ([, value]) => value !== null && value !== undefined,
    )
    return Object.fromEntries(members.sort(([one], [other]) => (one < other ? -1 : 1))) as {
      id: string
    }
  })
}

/** The state without rollups that the twin has under the same rules. */
function withoutRuled(state: WorldState): WorldState {
  return mapState(state, (name, item) => {
    const members = Object.entries(item).filter(
      ([member]) => !ruledRollups.has(`${name}.${member}`) && member !== 'praise',
    )
    return Object.fromEntries(members) as { id: string }
  })
}

function describe({ method, url, headers, body }: SentRequest): string {
  const { authorization: _, ...others } = headers
  return `${method} ${decodeURIComponent(url)} ${JSON.stringify(others)} ${body ?? ''}`
}

/**
 * The body of a write without members that its caller may set where it does not see them: the twin
 * shows what was written, because nothing is hidden there.
 */
function withoutUnseen(
  { method, path, body }: MatrixRequest,
  unseen: ReadonlySet<string>,
): string | undefined {
  if (!['POST', 'PUT', 'PATCH'].includes(method) || path.endsWith('/search')) return body
  const names = [...unseen].map((name) => wireName(name.split('.')[1]!))
  if (!body?.startsWith('{') || !names.some((name) => body.includes(`"${name}"`))) return body
  return JSON.stringify(
    JSON.parse(body, (name, value) => (names.includes(name) ? undefined : value)),
  )
}
