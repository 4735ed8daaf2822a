import {
  action,
  dateTime,
  field,
  file,
  image,
  model,
  refuse,
  rollup,
  timestamps,
  toMany,
  toOne,
} from 'resourcery'
import { apiKeyFields, issueApiKey, issuedKey } from 'resourcery/auth'
import { z } from 'zod'

export const role = z.enum(['attendee', 'organizer'])
const status = z.enum(['draft', 'submitted', 'accepted', 'rejected'])

export class Person extends model(
  'person',
  {
    name: field(z.string().min(1).max(100), { example: 'Ada Lovelace' }),
    email: field(z.email().optional(), { unique: true }),
    role: field(role.default('attendee'), { readOnly: true }),
    portrait: image({ variants: { formats: ['webp'], sizes: [64, 256] } }),
    talks: toMany('talk', { inverse: 'speaker' }),
  },
  { plural: 'people', exampleId: 'ada' },
) {}

export class Room extends model(
  'room',
  { name: field(z.string().min(1), { unique: true, example: 'Gallery' }) },
  { exampleId: 'hall' },
) {}

export class Talk extends model(
  'talk',
  {
    title: field(z.string().min(1).max(200), { example: 'Notes on the engine' }),
    summary: field(z.string().max(5_000).default(''), { was: 'abstract' }),
    status: field(status.default('draft'), { readOnly: true, index: true }),
    score: z.int().min(1).max(5).optional(),
    speaker: toOne<Person>('person'),
    slides: file({ types: ['application/pdf'], maxBytes: 20_000_000 }),
    ratings: toMany('rating', { inverse: 'talk' }),
    rating: rollup('ratings', { avg: 'stars', index: true }),
    sessions: toMany('session', { inverse: 'talk' }),
    ...timestamps(),
  },
  { search: { title: 3, 'speaker.name': 2, summary: 1 }, exampleId: 'looms' },
) {
  submit(): void {
    if (this.status !== 'draft') refuse('conflict', `'${this.title}' is ${this.status} already.`)
    this.status = 'submitted'
  }

  reject(): void {
    this.status = 'rejected'
  }

  static {
    action(this, 'submit')
    action(this, 'reject')
  }
}

export class Session extends model(
  'session',
  {
    start: field(dateTime(), { example: '2030-06-01T09:00:00Z' }),
    end: field(dateTime(), { example: '2030-06-01T10:00:00Z' }),
    talk: toOne<Talk>('talk', { onDelete: 'cascade' }),
    room: toOne<Room>('room', { onDelete: 'restrict' }),
  },
  {
    validate: {
      check: ({ start, end }, issue) => {
        if (Date.parse(end) <= Date.parse(start)) issue('end', 'must be after start')
      },
      description: 'A session ends after it starts.',
    },
    aggregate: ['start', 'room'],
    exampleId: 'morning',
  },
) {}

export class Rating extends model(
  'rating',
  {
    stars: z.int().min(1).max(5),
    talk: toOne<Talk>('talk', { onDelete: 'cascade', immutable: true }),
    attendee: toOne<Person>('person'),
  },
  { unique: [['talk', 'attendee']], exampleId: 'first' },
) {}

export class ApiKey extends model(
  'apiKey',
  { ...apiKeyFields(), owner: toOne<Person>('person', { onDelete: 'cascade' }) },
  { exampleId: 'nightly' },
) {
  issue() {
    return issueApiKey(this, 'conf')
  }

  static {
    action(this, 'issue', { output: issuedKey })
  }
}
