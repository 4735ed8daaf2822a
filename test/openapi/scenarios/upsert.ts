import { model } from 'resourcery'
import { jsonApi } from 'resourcery/json-api'
import { z } from 'zod'
import { type Scenario, scenarioRouter } from './scenario.ts'

/** PUT that creates, client ids, and custom limits. */
const Setting = model(
  'setting',
  { value: z.string(), secret: z.boolean().default(false) },
  { ids: 'client', upsert: true },
)
const router = scenarioRouter('Settings', {
  policy: jsonApi(),
  requireMatch: true,
  limits: {
    defaultPageSize: 5,
    maxPageSize: 50,
    maxSortKeys: 2,
    maxOffset: 1_000,
    maxOperations: 3,
  },
})
router.prepare(Setting)

export const upsert: Scenario = { name: 'upsert-json-api', router }
