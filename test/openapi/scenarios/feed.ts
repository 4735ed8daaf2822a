import { model, toOne } from 'resourcery'
import { rest } from 'resourcery/rest'
import { z } from 'zod'
import { type Scenario, scenarioRouter } from './scenario.ts'

/** Changes of each list, and of several lists on one connection. */
const Speaker = model('speaker', { name: z.string().meta({ examples: ['Ada'] }) })
const Session = model('session', {
  title: z.string().meta({ examples: ['Opening'] }),
  speaker: toOne('speaker', { optional: true }),
})
const Draft = model('draft', { text: z.string().meta({ examples: ['Hello'] }) }, { changes: false })
const router = scenarioRouter('Live lists', { policy: rest(), changes: true })
router.prepare(Speaker)
router.prepare(Session)
router.prepare(Draft)

export const feed: Scenario = { name: 'feed', router }
