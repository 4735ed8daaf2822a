// Written by `resourcery client`; `--check` says whether it is what the service has now.
import type { FileInfo, Manifest, RelatedConditions } from 'resourcery/client'

export type TextFilter = string | null | {
  eq?: string | undefined
  ne?: string | undefined
  gt?: string | undefined
  gte?: string | undefined
  lt?: string | undefined
  lte?: string | undefined
  in?: readonly string[] | undefined
  nin?: readonly string[] | undefined
  isNull?: boolean | undefined
  contains?: string | undefined
  startsWith?: string | undefined
  endsWith?: string | undefined
  like?: string | undefined
  iequals?: string | undefined
  icontains?: string | undefined
  istartsWith?: string | undefined
}

export type AttendeeOrOrganizerFilter = 'attendee' | 'organizer' | null | {
  eq?: 'attendee' | 'organizer' | undefined
  ne?: 'attendee' | 'organizer' | undefined
  gt?: 'attendee' | 'organizer' | undefined
  gte?: 'attendee' | 'organizer' | undefined
  lt?: 'attendee' | 'organizer' | undefined
  lte?: 'attendee' | 'organizer' | undefined
  in?: readonly ('attendee' | 'organizer')[] | undefined
  nin?: readonly ('attendee' | 'organizer')[] | undefined
  isNull?: boolean | undefined
  contains?: 'attendee' | 'organizer' | undefined
  startsWith?: 'attendee' | 'organizer' | undefined
  endsWith?: 'attendee' | 'organizer' | undefined
  like?: 'attendee' | 'organizer' | undefined
  iequals?: 'attendee' | 'organizer' | undefined
  icontains?: 'attendee' | 'organizer' | undefined
  istartsWith?: 'attendee' | 'organizer' | undefined
}

export type TextsFilter = {
  any?: readonly string[] | undefined
  all?: readonly string[] | undefined
}

export interface PersonConditions {
  id?: TextFilter | undefined
  name?: TextFilter | undefined
  email?: TextFilter | undefined
  role?: AttendeeOrOrganizerFilter | undefined
  talks?: TextsFilter | undefined
}

export interface RoomConditions {
  id?: TextFilter | undefined
  name?: TextFilter | undefined
}

export type DraftOrSubmittedOrAcceptedOrRejectedFilter = 'draft' | 'submitted' | 'accepted' | 'rejected' | null | {
  eq?: 'draft' | 'submitted' | 'accepted' | 'rejected' | undefined
  ne?: 'draft' | 'submitted' | 'accepted' | 'rejected' | undefined
  gt?: 'draft' | 'submitted' | 'accepted' | 'rejected' | undefined
  gte?: 'draft' | 'submitted' | 'accepted' | 'rejected' | undefined
  lt?: 'draft' | 'submitted' | 'accepted' | 'rejected' | undefined
  lte?: 'draft' | 'submitted' | 'accepted' | 'rejected' | undefined
  in?: readonly ('draft' | 'submitted' | 'accepted' | 'rejected')[] | undefined
  nin?: readonly ('draft' | 'submitted' | 'accepted' | 'rejected')[] | undefined
  isNull?: boolean | undefined
  contains?: 'draft' | 'submitted' | 'accepted' | 'rejected' | undefined
  startsWith?: 'draft' | 'submitted' | 'accepted' | 'rejected' | undefined
  endsWith?: 'draft' | 'submitted' | 'accepted' | 'rejected' | undefined
  like?: 'draft' | 'submitted' | 'accepted' | 'rejected' | undefined
  iequals?: 'draft' | 'submitted' | 'accepted' | 'rejected' | undefined
  icontains?: 'draft' | 'submitted' | 'accepted' | 'rejected' | undefined
  istartsWith?: 'draft' | 'submitted' | 'accepted' | 'rejected' | undefined
}

export type IntegerFilter = number | null | {
  eq?: number | undefined
  ne?: number | undefined
  gt?: number | undefined
  gte?: number | undefined
  lt?: number | undefined
  lte?: number | undefined
  in?: readonly number[] | undefined
  nin?: readonly number[] | undefined
  isNull?: boolean | undefined
}

export type RelationFilter = string | null | {
  eq?: string | undefined
  ne?: string | undefined
  in?: readonly string[] | undefined
  nin?: readonly string[] | undefined
  isNull?: boolean | undefined
}

export type NumberFilter = number | null | {
  eq?: number | undefined
  ne?: number | undefined
  gt?: number | undefined
  gte?: number | undefined
  lt?: number | undefined
  lte?: number | undefined
  in?: readonly number[] | undefined
  nin?: readonly number[] | undefined
  isNull?: boolean | undefined
}

export type DateTimeFilter = string | null | {
  eq?: string | undefined
  ne?: string | undefined
  gt?: string | undefined
  gte?: string | undefined
  lt?: string | undefined
  lte?: string | undefined
  in?: readonly string[] | undefined
  nin?: readonly string[] | undefined
  isNull?: boolean | undefined
  contains?: string | undefined
  startsWith?: string | undefined
  endsWith?: string | undefined
  like?: string | undefined
  iequals?: string | undefined
  icontains?: string | undefined
  istartsWith?: string | undefined
}

export interface TalkConditions {
  id?: TextFilter | undefined
  title?: TextFilter | undefined
  summary?: TextFilter | undefined
  status?: DraftOrSubmittedOrAcceptedOrRejectedFilter | undefined
  score?: IntegerFilter | undefined
  speaker?: RelationFilter | undefined
  ratings?: TextsFilter | undefined
  rating?: NumberFilter | undefined
  sessions?: TextsFilter | undefined
  createdAt?: DateTimeFilter | undefined
  updatedAt?: DateTimeFilter | undefined
}

export interface SessionConditions {
  id?: TextFilter | undefined
  start?: DateTimeFilter | undefined
  end?: DateTimeFilter | undefined
  talk?: RelationFilter | undefined
  room?: RelationFilter | undefined
}

export interface RatingConditions {
  id?: TextFilter | undefined
  stars?: IntegerFilter | undefined
  talk?: RelationFilter | undefined
  attendee?: RelationFilter | undefined
}

export interface ApiKeyConditions {
  id?: TextFilter | undefined
  name?: TextFilter | undefined
  expiresAt?: DateTimeFilter | undefined
  start?: TextFilter | undefined
  owner?: RelationFilter | undefined
}

/** An item of 'people'. */
export interface Person {
  /** Identifies the item in its collection */
  id: string
  name: string
  email?: string
  role: 'attendee' | 'organizer'
  portrait: FileInfo | null
}

export interface PersonCreate {
  /** The service chooses an id if this is missing */
  id?: string | undefined
  name: string
  email?: string | undefined
}

export interface PersonUpdate {
  name?: string | undefined
  email?: string | null | undefined
}

export interface PersonReplace {
  name: string
  email?: string | undefined
}

export type PersonFilter = PersonConditions

export type PersonSort = 'id' | '-id' | 'name' | '-name' | 'email' | '-email' | 'role' | '-role'

export type PersonInclude = 'talks' | 'talks.speaker' | 'talks.ratings' | 'talks.sessions' | 'talks.speaker.talks' | 'talks.ratings.talk' | 'talks.ratings.attendee' | 'talks.sessions.talk' | 'talks.sessions.room' | 'talks.speaker.talks.speaker' | 'talks.speaker.talks.ratings' | 'talks.speaker.talks.sessions' | 'talks.ratings.talk.speaker' | 'talks.ratings.talk.ratings' | 'talks.ratings.talk.sessions' | 'talks.ratings.attendee.talks' | 'talks.sessions.talk.speaker' | 'talks.sessions.talk.ratings' | 'talks.sessions.talk.sessions'

/** An item of 'rooms'. */
export interface Room {
  /** Identifies the item in its collection */
  id: string
  name: string
}

export interface RoomCreate {
  /** The service chooses an id if this is missing */
  id?: string | undefined
  name: string
}

export interface RoomUpdate {
  name?: string | undefined
}

export interface RoomReplace {
  name: string
}

export type RoomFilter = RoomConditions

export type RoomSort = 'id' | '-id' | 'name' | '-name'

export type RoomInclude = never

/** An item of 'talks'. */
export interface Talk {
  /** Identifies the item in its collection */
  id: string
  title: string
  summary: string
  status: 'draft' | 'submitted' | 'accepted' | 'rejected'
  score?: number
  rating: number | null
  /** When the item was created */
  createdAt?: string
  /** When the item was last changed */
  updatedAt?: string
  speaker: string
  slides: FileInfo | null
}

export interface TalkCreate {
  /** The service chooses an id if this is missing */
  id?: string | undefined
  title: string
  summary?: string | undefined
  score?: number | undefined
  speaker?: string | undefined
}

export interface TalkUpdate {
  title?: string | undefined
  summary?: string | null | undefined
  score?: number | null | undefined
  speaker?: string | undefined
}

export interface TalkReplace {
  title: string
  summary?: string | undefined
  score?: number | undefined
  speaker?: string | undefined
}

export type TalkFilter = TalkConditions & RelatedConditions<'speaker', PersonConditions>

export type TalkSort = 'id' | '-id' | 'title' | '-title' | 'summary' | '-summary' | 'status' | '-status' | 'score' | '-score' | 'speaker.id' | '-speaker.id' | 'speaker.name' | '-speaker.name' | 'speaker.email' | '-speaker.email' | 'speaker.role' | '-speaker.role' | 'rating' | '-rating' | 'createdAt' | '-createdAt' | 'updatedAt' | '-updatedAt' | '-relevance' | 'relevance'

export type TalkInclude = 'speaker' | 'ratings' | 'sessions' | 'speaker.talks' | 'ratings.talk' | 'ratings.attendee' | 'sessions.talk' | 'sessions.room' | 'speaker.talks.speaker' | 'speaker.talks.ratings' | 'speaker.talks.sessions' | 'ratings.talk.speaker' | 'ratings.talk.ratings' | 'ratings.talk.sessions' | 'ratings.attendee.talks' | 'sessions.talk.speaker' | 'sessions.talk.ratings' | 'sessions.talk.sessions' | `speaker.${string}` | `ratings.${string}` | `sessions.${string}`

export type TalkScheduleInput = {
  room: string
  start: string
  end: string
}

/** An item of 'sessions'. */
export interface Session {
  /** Identifies the item in its collection */
  id: string
  start: string
  end: string
  talk: string | null
  room: string
}

export interface SessionCreate {
  /** The service chooses an id if this is missing */
  id?: string | undefined
  start: string
  end: string
  talk: string
  room: string
}

export interface SessionUpdate {
  start?: string | undefined
  end?: string | undefined
  talk?: string | null | undefined
  room?: string | undefined
}

export interface SessionReplace {
  start: string
  end: string
  talk?: string | null | undefined
  room: string
}

export type SessionFilter = SessionConditions & RelatedConditions<'talk', TalkConditions> & RelatedConditions<'room', RoomConditions> & { readonly [path: `talk.${string}.${string}`]: unknown }

export type SessionSort = 'id' | '-id' | 'start' | '-start' | 'end' | '-end' | 'talk.id' | '-talk.id' | 'talk.title' | '-talk.title' | 'talk.summary' | '-talk.summary' | 'talk.status' | '-talk.status' | 'talk.score' | '-talk.score' | 'talk.speaker.id' | '-talk.speaker.id' | 'talk.speaker.name' | '-talk.speaker.name' | 'talk.speaker.email' | '-talk.speaker.email' | 'talk.speaker.role' | '-talk.speaker.role' | 'talk.rating' | '-talk.rating' | 'talk.createdAt' | '-talk.createdAt' | 'talk.updatedAt' | '-talk.updatedAt' | 'room.id' | '-room.id' | 'room.name' | '-room.name'

export type SessionInclude = 'talk' | 'room' | 'talk.speaker' | 'talk.ratings' | 'talk.sessions' | 'talk.speaker.talks' | 'talk.ratings.talk' | 'talk.ratings.attendee' | 'talk.sessions.talk' | 'talk.sessions.room' | 'talk.speaker.talks.speaker' | 'talk.speaker.talks.ratings' | 'talk.speaker.talks.sessions' | 'talk.ratings.talk.speaker' | 'talk.ratings.talk.ratings' | 'talk.ratings.talk.sessions' | 'talk.ratings.attendee.talks' | 'talk.sessions.talk.speaker' | 'talk.sessions.talk.ratings' | 'talk.sessions.talk.sessions'

export interface SessionSums {
  count: number
  'min(start)': string | null
  'max(start)': string | null
  'countDistinct(start)': number
  'countDistinct(room)': number
}

export interface SessionFacets {
  start: ({
    value: string | null
    count: number
  })[]
  room: ({
    value: string | null
    count: number
  })[]
}

export interface SessionGroupValues {
  start: string | null
  'year(start)': string | null
  'quarter(start)': string | null
  'month(start)': string | null
  'week(start)': string | null
  'day(start)': string | null
  room: string | null
}

/** An item of 'ratings'. */
export interface Rating {
  /** Identifies the item in its collection */
  id: string
  stars: number
  talk: string | null
  attendee: string
}

export interface RatingCreate {
  /** The service chooses an id if this is missing */
  id?: string | undefined
  stars: number
  talk: string
}

export interface RatingUpdate {
  stars?: number | undefined
  talk?: string | null | undefined
}

export interface RatingReplace {
  stars: number
  talk?: string | null | undefined
}

export type RatingFilter = RatingConditions & RelatedConditions<'talk', TalkConditions> & RelatedConditions<'attendee', PersonConditions> & { readonly [path: `talk.${string}.${string}`]: unknown }

export type RatingSort = 'id' | '-id' | 'stars' | '-stars' | 'talk.id' | '-talk.id' | 'talk.title' | '-talk.title' | 'talk.summary' | '-talk.summary' | 'talk.status' | '-talk.status' | 'talk.score' | '-talk.score' | 'talk.speaker.id' | '-talk.speaker.id' | 'talk.speaker.name' | '-talk.speaker.name' | 'talk.speaker.email' | '-talk.speaker.email' | 'talk.speaker.role' | '-talk.speaker.role' | 'talk.rating' | '-talk.rating' | 'talk.createdAt' | '-talk.createdAt' | 'talk.updatedAt' | '-talk.updatedAt' | 'attendee.id' | '-attendee.id' | 'attendee.name' | '-attendee.name' | 'attendee.email' | '-attendee.email' | 'attendee.role' | '-attendee.role'

export type RatingInclude = 'talk' | 'attendee' | 'talk.speaker' | 'talk.ratings' | 'talk.sessions' | 'attendee.talks' | 'talk.speaker.talks' | 'talk.ratings.talk' | 'talk.ratings.attendee' | 'talk.sessions.talk' | 'talk.sessions.room' | 'attendee.talks.speaker' | 'attendee.talks.ratings' | 'attendee.talks.sessions' | `talk.${string}` | `attendee.${string}`

/** An item of 'apiKeys'. */
export interface ApiKey {
  /** Identifies the item in its collection */
  id: string
  /** What the key is for */
  name: string
  /** When the key expires. Without it, the key does not expire */
  expiresAt?: string
  /** The beginning of the key, by which people recognize it */
  start?: string
  owner: string
}

export interface ApiKeyCreate {
  /** The service chooses an id if this is missing */
  id?: string | undefined
  /** What the key is for */
  name: string
  /** When the key expires. Without it, the key does not expire */
  expiresAt?: string | undefined
}

export interface ApiKeyUpdate {
  /** What the key is for */
  name?: string | undefined
  /** When the key expires. Without it, the key does not expire */
  expiresAt?: string | null | undefined
}

export interface ApiKeyReplace {
  /** What the key is for */
  name: string
  /** When the key expires. Without it, the key does not expire */
  expiresAt?: string | undefined
}

export type ApiKeyFilter = ApiKeyConditions & RelatedConditions<'owner', PersonConditions>

export type ApiKeySort = 'id' | '-id' | 'name' | '-name' | 'expiresAt' | '-expiresAt' | 'start' | '-start' | 'owner.id' | '-owner.id' | 'owner.name' | '-owner.name' | 'owner.email' | '-owner.email' | 'owner.role' | '-owner.role'

export type ApiKeyInclude = 'owner' | 'owner.talks' | 'owner.talks.speaker' | 'owner.talks.ratings' | 'owner.talks.sessions' | 'owner.talks.speaker.talks' | 'owner.talks.ratings.talk' | 'owner.talks.ratings.attendee' | 'owner.talks.sessions.talk' | 'owner.talks.sessions.room'

export type ApiKeyIssueOutput = {
  /** The key. It is shown once and cannot be read again. */
  key: string
}

/** The models of the service, as types. */
export type Api = {
  readonly people: {
    readonly calls: 'list' | 'stream' | 'follow' | 'get' | 'create' | 'update' | 'replace' | 'delete' | 'isOutdated' | 'upload' | 'deleteFile' | 'download'
    readonly item: Person
    readonly create: PersonCreate
    readonly update: PersonUpdate
    readonly replace: PersonReplace
    readonly filter: PersonFilter
    readonly sort: PersonSort
    readonly include: PersonInclude
    readonly relations: {
      readonly talks: { readonly many: 'talks' }
    }
    readonly actions: Record<never, never>
    readonly files: 'portrait'
    readonly downloads: 'portrait' | 'portrait/webp/256' | 'portrait/webp/64'
    readonly search: never
    readonly aggregates: Record<never, never>
    readonly facets: Record<never, never>
    readonly groups: Record<never, never>
  }
  readonly rooms: {
    readonly calls: 'list' | 'stream' | 'follow' | 'get' | 'create' | 'update' | 'replace' | 'delete' | 'isOutdated'
    readonly item: Room
    readonly create: RoomCreate
    readonly update: RoomUpdate
    readonly replace: RoomReplace
    readonly filter: RoomFilter
    readonly sort: RoomSort
    readonly include: RoomInclude
    readonly relations: Record<never, never>
    readonly actions: Record<never, never>
    readonly files: never
    readonly downloads: never
    readonly search: never
    readonly aggregates: Record<never, never>
    readonly facets: Record<never, never>
    readonly groups: Record<never, never>
  }
  readonly talks: {
    readonly calls: 'list' | 'stream' | 'follow' | 'get' | 'create' | 'update' | 'replace' | 'delete' | 'isOutdated' | 'upload' | 'deleteFile' | 'download' | 'actions'
    readonly item: Talk
    readonly create: TalkCreate
    readonly update: TalkUpdate
    readonly replace: TalkReplace
    readonly filter: TalkFilter
    readonly sort: TalkSort
    readonly include: TalkInclude
    readonly relations: {
      readonly speaker: { readonly one: 'people'; readonly isOptional: true }
      readonly ratings: { readonly many: 'ratings' }
      readonly sessions: { readonly many: 'sessions' }
    }
    readonly actions: {
      readonly reject: {}
      readonly schedule: {
        readonly input: TalkScheduleInput
      }
      readonly submit: {}
    }
    readonly files: 'slides'
    readonly downloads: 'slides'
    readonly search: string
    readonly aggregates: Record<never, never>
    readonly facets: Record<never, never>
    readonly groups: Record<never, never>
  }
  readonly sessions: {
    readonly calls: 'list' | 'stream' | 'groups' | 'follow' | 'get' | 'create' | 'update' | 'replace' | 'delete' | 'isOutdated'
    readonly item: Session
    readonly create: SessionCreate
    readonly update: SessionUpdate
    readonly replace: SessionReplace
    readonly filter: SessionFilter
    readonly sort: SessionSort
    readonly include: SessionInclude
    readonly relations: {
      readonly talk: { readonly one: 'talks'; readonly isOptional: true }
      readonly room: { readonly one: 'rooms'; readonly isOptional: true }
    }
    readonly actions: Record<never, never>
    readonly files: never
    readonly downloads: never
    readonly search: never
    readonly aggregates: SessionSums
    readonly facets: SessionFacets
    readonly groups: SessionGroupValues
  }
  readonly ratings: {
    readonly calls: 'list' | 'stream' | 'follow' | 'get' | 'create' | 'update' | 'replace' | 'delete' | 'isOutdated'
    readonly item: Rating
    readonly create: RatingCreate
    readonly update: RatingUpdate
    readonly replace: RatingReplace
    readonly filter: RatingFilter
    readonly sort: RatingSort
    readonly include: RatingInclude
    readonly relations: {
      readonly talk: { readonly one: 'talks'; readonly isOptional: true }
      readonly attendee: { readonly one: 'people'; readonly isOptional: true }
    }
    readonly actions: Record<never, never>
    readonly files: never
    readonly downloads: never
    readonly search: never
    readonly aggregates: Record<never, never>
    readonly facets: Record<never, never>
    readonly groups: Record<never, never>
  }
  readonly apiKeys: {
    readonly calls: 'list' | 'stream' | 'follow' | 'get' | 'create' | 'update' | 'replace' | 'delete' | 'isOutdated' | 'actions'
    readonly item: ApiKey
    readonly create: ApiKeyCreate
    readonly update: ApiKeyUpdate
    readonly replace: ApiKeyReplace
    readonly filter: ApiKeyFilter
    readonly sort: ApiKeySort
    readonly include: ApiKeyInclude
    readonly relations: {
      readonly owner: { readonly one: 'people'; readonly isOptional: true }
    }
    readonly actions: {
      readonly issue: {
        readonly output: ApiKeyIssueOutput
      }
    }
    readonly files: never
    readonly downloads: never
    readonly search: never
    readonly aggregates: Record<never, never>
    readonly facets: Record<never, never>
    readonly groups: Record<never, never>
  }
}

/** What the client has to know when it runs. */
export const manifest: Manifest<Api> = {
  policy: 'rest',
  models: {
    people: { name: 'person', relations: { talks: { model: 'talks', isMany: true, inverse: 'speaker' } } },
    rooms: { name: 'room' },
    talks: { name: 'talk', relations: { speaker: { model: 'people' }, ratings: { model: 'ratings', isMany: true, inverse: 'talk' }, sessions: { model: 'sessions', isMany: true, inverse: 'talk' } }, actions: { reject: { segment: 'reject' }, schedule: { segment: 'schedule' }, submit: { segment: 'submit' } } },
    sessions: { name: 'session', relations: { talk: { model: 'talks' }, room: { model: 'rooms' } } },
    ratings: { name: 'rating', relations: { talk: { model: 'talks' }, attendee: { model: 'people' } } },
    apiKeys: { name: 'apiKey', relations: { owner: { model: 'people' } }, actions: { issue: { segment: 'issue', hasOutput: true } } },
  },
}
