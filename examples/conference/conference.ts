import type { KeyObject } from 'node:crypto'
import { createRouter, type Policy, type Router, type RouterOptions } from 'resourcery'
import { jsonApi } from 'resourcery/json-api'
import { rest } from 'resourcery/rest'
import { keys, people, program, ratings, talks } from './access.ts'
import { oneSessionAtATime } from './bookings.ts'
import { mailSpeakers, remindSpeakers } from './mail.ts'
import { ApiKey, Person, Rating, Room, Session, Talk } from './models.ts'
import { schedule, scheduling } from './schedule.ts'
import { Caller, signIn } from './sign-in.ts'

export interface ConferenceOptions extends Pick<RouterOptions, 'store' | 'blobs'> {
  /** The public key of the issuer of tokens. */
  readonly issuerKey: KeyObject
  readonly cursorSecret: string
  /** The file to which mails are appended. */
  readonly outbox: string
}

/** The conference under plain REST at `/api`, and under JSON:API at `/json-api`. */
export function conference(options: ConferenceOptions): readonly Router<Caller>[] {
  const plain = mount(rest({ csv: true }), '/api', options)
  const routers = [plain, mount(jsonApi(), '/json-api', options)]
  // It gets the changes of both: they are in the store.
  plain.consume('mailer', { models: [Talk] }, mailSpeakers(options.outbox))
  const morning = { every: '1 day', at: '07:00', timeZone: 'Europe/Berlin' } as const
  plain.job('reminders', morning, remindSpeakers(options.outbox))
  return routers
}

function mount(
  policy: Policy,
  basePath: string,
  { issuerKey, cursorSecret, outbox: _, ...stores }: ConferenceOptions,
): Router<Caller> {
  const router = createRouter({
    ...stores,
    changes: true,
    policy,
    basePath,
    docsPage: true,
    startPage: true,
    security: {
      authentication: signIn(issuerKey),
      callerSchema: Caller,
      defaultAccess: 'closed',
      cursorSecret,
    },
  })
  router.prepare(Person).access(people)
  router.prepare(Room).access(program)
  router.prepare(Talk).access(talks).itemOperation('schedule', schedule, scheduling)
  router.prepare(Session).access(program).use(oneSessionAtATime)
  router.prepare(Rating).access(ratings)
  router.prepare(ApiKey).access(keys)
  return router
}
