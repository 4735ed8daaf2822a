import {
  action,
  dateTime,
  field,
  file,
  image,
  model,
  refuse,
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
    name: z.string().min(1).max(100),
    email: field(z.email().optional(), { unique: true }),
    role: field(role.default('attendee'), { readOnly: true }),
    portrait: image({ variants: { formats: ['webp'], sizes: [64, 256] } }),
    talks: toMany('talk', { inverse: 'speaker' }),
  },
  { plural: 'people' },
) {}

export class Room extends model('room', { name: field(z.string().min(1), { unique: true }) }) {}

export class Talk extends model('talk', {
  title: z.string().min(1).max(200),
  summary: field(z.string().max(5_000).default(''), { was: 'abstract' }),
  status: field(status.default('draft'), { readOnly: true, index: true }),
  score: z.int().min(1).max(5).optional(),
  speaker: toOne<Person>('person'),
  slides: file({ types: ['application/pdf'], maxBytes: 20_000_000 }),
  ratings: toMany('rating', { inverse: 'talk' }),
  sessions: toMany('session', { inverse: 'talk' }),
  ...timestamps(),
}) {
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
    start: dateTime(),
    end: dateTime(),
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
  },
) {}

export class Rating extends model(
  'rating',
  {
    stars: z.int().min(1).max(5),
    talk: toOne<Talk>('talk', { onDelete: 'cascade', immutable: true }),
    attendee: toOne<Person>('person'),
  },
  { unique: [['talk', 'attendee']] },
) {}

export class ApiKey extends model('apiKey', {
  ...apiKeyFields(),
  owner: toOne<Person>('person', { onDelete: 'cascade' }),
}) {
  issue() {
    return issueApiKey(this, 'conf')
  }

  static {
    action(this, 'issue', { output: issuedKey })
  }
}
