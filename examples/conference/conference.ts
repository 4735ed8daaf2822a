import { createRouter, type Policy, type Router, type RouterOptions } from 'resourcery'
import { jsonApi } from 'resourcery/json-api'
import { rest } from 'resourcery/rest'
import { mailSpeakers } from './mail.ts'
import { Person, Rating, Room, Session, Talk } from './models.ts'
import { oneSessionAtATime, organizersWrite, ownProfile, ownRatings, ownTalks } from './rules.ts'
import { schedule, scheduling } from './schedule.ts'
import { signIn } from './sign-in.ts'

export interface ConferenceOptions extends Pick<RouterOptions, 'store' | 'blobs'> {
  /** The file to which mails are appended. */
  readonly outbox: string
}

/** The conference under plain REST at `/api`, and under JSON:API at `/json-api`. */
export function conference(options: ConferenceOptions): readonly Router[] {
  return [mount(rest(), '/api', options), mount(jsonApi(), '/json-api', options)]
}

function mount(policy: Policy, basePath: string, { outbox, ...stores }: ConferenceOptions): Router {
  const router = createRouter({ ...stores, policy, basePath, docs: true })
  router.use(signIn(router))
  router.prepare(Person).use(ownProfile)
  router.prepare(Room).use(organizersWrite)
  const talks = router.prepare(Talk).use(ownTalks).use(mailSpeakers(outbox))
  talks.itemOperation('schedule', schedule, scheduling)
  router.prepare(Session).use(organizersWrite).use(oneSessionAtATime)
  router.prepare(Rating).use(ownRatings)
  return router
}
