import {
  type AnyModel,
  action,
  dateTime,
  decimal,
  derived,
  field,
  file,
  hash,
  model,
  rollup,
  toMany,
  toOne,
} from 'resourcery'
import type { ActionDetails } from 'resourcery/types'
import { z } from 'zod'
import type { ModelName } from './state.ts'

/** What tells the models of one world from those of another. */
export interface Shape {
  /** Fields that are not declared, such as `talk.score`. */
  readonly missing: ReadonlySet<string>
  readonly hasTenants: boolean
  /** May every reader of people know what tracks make together? */
  readonly hasRollupsOfTracks: boolean
}

export type Models = Readonly<Record<ModelName, AnyModel>>

/** Models with relations of every kind. All members that a rule can hide are optional. */
export function modelsOf({ missing, hasTenants, hasRollupsOfTracks }: Shape): Models {
  /** All that clients may read and filter by. */
  const aggregate = (name: ModelName, ...names: readonly string[]) => ({
    aggregate: names.filter((member) => !missing.has(`${name}.${member}`)) as never[],
  })
  const members = <Fields extends object>(name: ModelName, fields: Fields) => ({
    ...(Object.fromEntries(
      Object.entries(fields).filter(([member]) => !missing.has(`${name}.${member}`)),
    ) as Fields),
    ...(hasTenants && { tenant: z.string() }),
  })
  const ofTracks = {
    hostedCount: rollup('hosted', { count: true }),
    hostedCodes: rollup('hosted', { sum: 'code' }),
    lastLabel: rollup<string>('hosted', { max: 'label', index: true }),
  }
  class Team extends model(
    'team',
    members('team', {
      title: field(z.string(), { unique: true }),
      open: z.boolean().default(false),
      motto: z.string().optional(),
      budget: decimal(8, 2, { optional: true }),
      lead: toOne('person', { optional: true }),
      members: toMany('person', { inverse: 'team' }),
      sponsored: toMany('talk', { inverse: 'sponsors' }),
    }),
    {
      upsert: true,
      ...aggregate('team', 'title', 'open', 'motto', 'budget', 'lead', 'members', 'sponsored'),
      search: ['title'],
    },
  ) {}
  class Person extends model(
    'person',
    members('person', {
      name: z.string(),
      active: z.boolean().default(true),
      email: z.string().optional(),
      nick: field(z.string().optional(), { unique: true }),
      address: z.object({ city: z.string(), zip: z.string().optional() }).optional(),
      joined: dateTime({ optional: true }),
      level: field(z.int().optional(), { wire: 'grade', index: true }),
      secret: field(z.string().optional(), { hidden: true }),
      team: toOne('team', { optional: true }),
      mentor: toOne('person', { optional: true }),
      vault: toOne('vault', { optional: true }),
      talks: toMany('talk', { inverse: 'speaker' }),
      hosted: toMany('track', { inverse: 'host' }),
      mentees: toMany('person', { inverse: 'mentor' }),
      ...(hasRollupsOfTracks && ofTracks),
      photo: file({ types: ['text/plain'] }),
      badge: file({ types: ['text/plain'] }),
      hash: hash(),
    }),
    {
      ...aggregate(
        'person',
        ...['name', 'active', 'email', 'nick', 'address', 'joined', 'level'],
        ...['team', 'mentor', 'vault', 'talks', 'hosted', 'mentees'],
        ...(hasRollupsOfTracks ? Object.keys(ofTracks) : []),
      ),
      search: { name: 2, 'team.title': 1 },
    },
  ) {}
  class Vault extends model(
    'vault',
    members('vault', { word: z.string() }),
    aggregate('vault', 'word'),
  ) {}
  class Talk extends model(
    'talk',
    members('talk', {
      title: z.string().min(1),
      status: z.enum(['draft', 'accepted']).default('draft'),
      score: z.int().optional(),
      notes: z.string().optional(),
      fee: decimal(8, 2, { optional: true }),
      startsAt: dateTime({ optional: true }),
      tags: z.array(z.string()).default([]),
      place: z.object({ room: z.string(), floor: z.int().optional() }).optional(),
      slot: field(z.string().optional(), { unique: true }),
      rank: field(z.int().default(0), { index: true }),
      // A twin lacks what is hidden, so nothing is made of it there.
      memo: derived({
        from: ['bill', 'notes'],
        schema: z.string().optional(),
        compute: ({ bill, notes }) =>
          bill === undefined || notes === undefined ? undefined : `${notes}: ${bill}`,
        index: true,
      }),
      bill: derived({
        from: ['fee', 'startsAt', 'speaker'],
        schema: z.string().optional(),
        compute: ({ fee, startsAt, speaker }) =>
          fee === undefined || startsAt === undefined || speaker === null
            ? undefined
            : `${speaker} ${Number(fee)} ${startsAt.slice(0, 10)}`,
      }),
      speaker: toOne('person', { optional: true }),
      reviewers: toMany('person'),
      sponsors: toMany('team'),
      track: toOne('track', { optional: true, onDelete: 'restrict' }),
      comments: toMany('comment', { inverse: 'talk' }),
      // Their rules alone decide, and the comments of an item that they open are visible.
      rating: rollup('comments', { avg: 'stars', countsHidden: true, index: true }),
      best: rollup('comments', { max: 'stars', countsHidden: true }),
      commentCount: rollup('comments', { count: true, countsHidden: true }),
      praise: derived({
        from: ['title', 'rating'],
        schema: z.string().optional(),
        compute: ({ title, rating }) =>
          typeof rating === 'number' ? `${title}: ${rating}` : undefined,
      }),
      slides: file({ types: ['text/plain'] }),
      hash: hash(),
    }),
    {
      ...aggregate(
        'talk',
        ...[
          'title',
          'status',
          'score',
          'notes',
          'fee',
          'startsAt',
          'tags',
          'place',
          'slot',
          'rank',
          'memo',
          'bill',
        ],
        ...['speaker', 'reviewers', 'sponsors', 'track', 'comments'],
        ...['rating', 'best', 'commentCount', 'praise'],
      ),
      search: { title: 3, 'speaker.name': 2, 'speaker.team.title': 1 },
    },
  ) {
    static {
      action(this, 'accept')
      action(this, 'rename', { input: z.object({ title: z.string() }) })
      action(this, 'acceptLater')
      action(this, 'renameLater', { input: z.object({ title: z.string() }) })
    }
    declare status: 'draft' | 'accepted'
    declare title: string
    accept() {
      this.status = 'accepted'
    }
    rename({ title }: { title: string }) {
      this.title = title
    }
    async acceptLater() {
      await Promise.resolve()
      this.status = 'accepted'
    }
    async renameLater({ title }: { title: string }, { items }: ActionDetails) {
      await items(Vault).count()
      this.title = title
    }
  }
  class Comment extends model(
    'comment',
    members('comment', {
      text: z.string(),
      internal: field(z.boolean().default(false), { hidden: true }),
      stars: z.int().optional(),
      talk: toOne('talk', { optional: true, onDelete: 'cascade' }),
      author: toOne('person', { optional: true }),
      parent: toOne('comment', { optional: true }),
      replies: toMany('comment', { inverse: 'parent' }),
    }),
    {
      ...aggregate('comment', 'text', 'stars', 'talk', 'author', 'parent', 'replies'),
      search: ['text', 'talk.title', 'author.name', 'parent.author.name'],
    },
  ) {}
  class Track extends model(
    'track',
    members('track', {
      label: z.string(),
      code: z.int().default(0),
      // The document describes no set with a hidden field, such as that of tenants.
      zone: field(z.string().default('here'), { hidden: true }),
      host: toOne('person', { optional: true }),
      talks: toMany('talk', { inverse: 'track' }),
    }),
    {
      unique: [['label', 'code', 'zone']],
      ...aggregate('track', 'label', 'code', 'host', 'talks'),
    },
  ) {}
  return { team: Team, person: Person, talk: Talk, comment: Comment, track: Track, vault: Vault }
}
