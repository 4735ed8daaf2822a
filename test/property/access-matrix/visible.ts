import {
  type ItemValues,
  type ModelName,
  mapState,
  type WorldState,
  withoutDangling,
} from './state.ts'

/** Between the times of talks. */
export const timeOfRequests: number = Date.UTC(2024, 4, 1, 12)

/** Who sends requests; undefined is anonymous. */
export type MatrixCaller =
  | { readonly id: string; readonly roles: readonly string[]; readonly tenant?: string }
  | undefined

export interface Setting {
  readonly policy: 'rest' | 'json-api'
  readonly access: 'open' | 'closed'
  readonly hasTenants: boolean
  /** Do items tell what their caller may do with them? */
  readonly hasCapabilities: boolean
}

/**
 * What a caller can see, computed from the sentences of the rules alone. It knows nothing of how
 * the service evaluates rules.
 */
export class Visibility {
  readonly #setting: Setting
  readonly #caller: MatrixCaller
  readonly #state: WorldState

  constructor(setting: Setting, caller: MatrixCaller, state: WorldState) {
    this.#setting = setting
    this.#caller = caller
    this.#state = state
  }

  /** The items that exist for the caller, with the members that it sees. */
  state(): WorldState {
    const items = mapState(this.#state, (name, item) =>
      this.canRead(name, item) ? this.#shown(name, item) : undefined,
    )
    return withoutMissing(withoutDangling(items), this.#caller)
  }

  canRead(name: ModelName, item: ItemValues): boolean {
    const { hasTenants, access } = this.#setting
    if (hasTenants && (!this.#caller || item.tenant !== this.#caller.tenant)) return false
    switch (name) {
      case 'team':
        return item.open === true || this.#isOwn(item.lead) || this.#isAdmin
      case 'person':
        return item.active !== false || this.#isOwn(item.id) || this.#isAdmin
      case 'talk':
        return (
          item.status === 'accepted' ||
          this.#isOwn(item.speaker) ||
          (item.reviewers as readonly string[]).some((id) => this.#isOwn(id)) ||
          this.#all('comment').some(
            (comment) =>
              comment.talk === item.id &&
              this.#isOwn(comment.author) &&
              typeof comment.stars === 'number' &&
              comment.stars > 1,
          ) ||
          this.#isAdmin
        )
      case 'comment':
        return (
          item.internal !== true ||
          this.#isOwn(item.author) ||
          this.#isOwn(this.#related('talk', item.talk)?.speaker) ||
          this.#isAdmin
        )
      case 'track':
        return access === 'open'
      case 'vault':
        return false
    }
  }

  /** Can the caller see the member of this item? */
  canSee(name: ModelName, member: string, item: ItemValues): boolean {
    switch (`${name}.${member}`) {
      case 'team.motto':
        return this.#isOwn(item.lead)
      case 'person.email':
        return this.#isOwn(item.id) || this.#isAdmin
      case 'person.nick':
        return this.#isOwn(this.#related('team', item.team)?.lead) || this.#isAdmin
      case 'person.joined':
        return (
          this.#isOwn(item.id) ||
          !this.#all('person').some(({ mentor, active }) => mentor === item.id && active === false)
        )
      case 'person.mentor':
      case 'person.photo':
        return this.#isOwn(item.id)
      case 'talk.notes':
        return this.#isOwn(item.speaker)
      case 'talk.fee':
        return (
          this.#isOwn(item.speaker) ||
          this.#isAdmin ||
          ((item.place as { room?: string } | null | undefined)?.room ?? '').startsWith('open')
        )
      case 'talk.bill': {
        const speaker = this.#related('person', item.speaker)
        return (
          this.canSee(name, 'fee', item) &&
          this.canSee(name, 'startsAt', item) &&
          (speaker === undefined || this.canRead('person', speaker))
        )
      }
      case 'talk.memo':
        return this.canSee(name, 'bill', item) && this.canSee(name, 'notes', item)
      case 'talk.rating':
      case 'talk.best':
      case 'talk.praise':
        return this.#isOwn(item.speaker) || this.#isAdmin
      case 'talk.startsAt':
        return (
          this.#isOwn(item.speaker) ||
          (typeof item.startsAt === 'string' && Date.parse(item.startsAt) <= timeOfRequests)
        )
      case 'talk.slot':
        return (
          this.#isOwn(item.speaker) ||
          (item.reviewers as readonly string[]).some(
            (id) => this.#related('team', this.#related('person', id)?.team)?.open === true,
          )
        )
      case 'talk.sponsors':
        return this.#isOwn(item.speaker) || this.#isAdmin
      case 'talk.slides':
        return item.status === 'accepted' || this.#isOwn(item.speaker) || this.#isAdmin
      case 'comment.stars':
        return (
          this.#isOwn(item.author) ||
          this.#isOwn(this.#related('talk', item.talk)?.speaker) ||
          this.#isAdmin
        )
      case 'person.secret':
        return false
      default:
        return true
    }
  }

  get #isAdmin(): boolean {
    return this.#caller?.roles.includes('admin') ?? false
  }

  #isOwn(id: unknown): boolean {
    return this.#caller !== undefined && id === this.#caller.id
  }

  #all(name: ModelName): readonly ItemValues[] {
    return [...this.#state[name].values()]
  }

  #related(name: ModelName, id: unknown): ItemValues | undefined {
    return typeof id === 'string' ? this.#state[name].get(id) : undefined
  }

  #shown(name: ModelName, item: ItemValues): ItemValues {
    return membersWhere(item, (member) => member !== 'tenant' && this.canSee(name, member, item))
  }
}

/** What a state shows of items that the caller sees in another one, which may decide otherwise. */
export function shownAs({ setting, caller, state }: Seen, shown: WorldState): WorldState {
  const visibility = new Visibility(setting, caller, state)
  const items = mapState(shown, (name, item) => {
    const decisive = state[name].get(item.id)
    if (!decisive) return item
    return visibility.canRead(name, decisive)
      ? membersWhere(item, (member) => visibility.canSee(name, member, decisive))
      : undefined
  })
  return withoutMissing(withoutDangling(items), caller)
}

function withoutMissing(state: WorldState, caller: MatrixCaller): WorldState {
  const missing = missingFields(caller)
  return mapState(state, (name, item) =>
    membersWhere(item, (member) => !missing.has(`${name}.${member}`)),
  )
}

interface Seen {
  readonly setting: Setting
  readonly caller: MatrixCaller
  readonly state: WorldState
}

function membersWhere(item: ItemValues, isKept: (member: string) => boolean): ItemValues {
  return Object.fromEntries(Object.entries(item).filter(([member]) => isKept(member))) as ItemValues
}

/** The fields that do not exist for the caller, because their rules hold in no item. */
export function missingFields(caller: MatrixCaller): ReadonlySet<string> {
  const isAdmin = caller?.roles.includes('admin') ?? false
  return new Set([
    ...(isAdmin ? [] : ['talk.score', 'talk.commentCount', 'person.badge', 'team.budget']),
    ...(caller ? [] : missingForAnonymous),
  ])
}

/** Their rules need a caller, or its id; the inverse of a relation is missing with it. */
const missingForAnonymous = [
  'team.motto',
  'team.sponsored',
  'person.address',
  'person.email',
  'person.hosted',
  'person.hostedCount',
  'person.hostedCodes',
  'person.lastLabel',
  'person.mentees',
  'person.mentor',
  'person.nick',
  'person.photo',
  'talk.notes',
  'talk.memo',
  'talk.rating',
  'talk.best',
  'talk.praise',
  'talk.sponsors',
  'comment.stars',
  'track.host',
]

/** The fields that the caller may set in items where it does not see them. */
export function unseenWritable(caller: MatrixCaller): ReadonlySet<string> {
  return new Set(caller?.roles.includes('admin') ? ['talk.slot', 'person.joined'] : [])
}

/** The fields that exist for no caller. */
export const hiddenFields = ['person.secret', 'comment.internal', 'track.zone', 'team.tenant']

/** Whom the read rule of a model refuses, whatever the item. */
export function refusalOf(
  name: ModelName,
  { access, hasTenants }: Setting,
  caller: MatrixCaller,
): 'always' | 'anonymous' | 'never' {
  if (name === 'vault' || (name === 'track' && access === 'closed')) return 'always'
  return hasTenants && caller === undefined ? 'anonymous' : 'never'
}
