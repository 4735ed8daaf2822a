import { model } from 'resourcery'
import { rest } from 'resourcery/rest'
import { z } from 'zod'
import { type Scenario, scenarioRouter } from './scenario.ts'

/** The smallest service: one model, no relation, no hash; and its list as JSON Lines too. */
const Note = model('note', {
  text: z
    .string()
    .max(500)
    .meta({ description: 'What is noted', examples: ['Buy milk'] }),
})
const router = scenarioRouter('Notes', { policy: rest({ jsonLines: true }) })
router.prepare(Note)

export const oneModel: Scenario = { name: 'one-model', router }
