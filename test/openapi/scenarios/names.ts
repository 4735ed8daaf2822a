import { model, toMany, toOne } from 'resourcery'
import { rest } from 'resourcery/rest'
import { z } from 'zod'
import { type Scenario, scenarioRouter } from './scenario.ts'

/**
 * Names with several words and hyphens, names that collide, and names that are too long for ids.
 */
const BookCategory = model('bookCategory', {
  name: z.string(),
  parent: toOne('bookCategory', { optional: true }),
})
const CarPart = model('car-part', { name: z.string() }, { plural: 'car-parts' })
const Car = model('car', { name: z.string(), parts: toMany('car-part') })
const Problem = model('problem', { text: z.string() })
const Long = model('anIncrediblyLongNameForSomethingThatIsReallyQuiteSmallAfterAll', {
  name: z.string(),
})

const router = scenarioRouter('Names', { policy: rest() })
for (const entry of [BookCategory, CarPart, Car, Problem, Long]) router.prepare(entry)

export const names: Scenario = { name: 'names', router }
