import { field, model } from 'resourcery'
import { rest } from 'resourcery/rest'
import { z } from 'zod'
import { type Scenario, scenarioRouter } from './scenario.ts'

/** Schemas that are more than a type: unions, tuples, records, recursion, constants, null. */
const part = z.object({
  name: z.string(),
  get parts() {
    return z.array(part).optional()
  },
})
const shape = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('circle'), radius: z.number().positive() }),
  z.object({ kind: z.literal('box'), width: z.number().positive(), height: z.number().positive() }),
])
const Machine = model('machine', {
  frame: part,
  outline: shape,
  position: z.tuple([z.number(), z.number()]),
  readings: z.record(z.string(), z.number()).optional(),
  state: z.enum(['on', 'off']).nullable(),
  serial: field(z.string().regex(/^[A-Z]{2}\d{4}$/), {
    wire: 'serial-number',
    unique: true,
    example: 'AB1234',
  }),
  builtOn: z.iso.date(),
  checkedAt: z.iso.datetime({ offset: true }).optional(),
  contact: z.union([z.email(), z.url()]).optional(),
  extra: z.unknown().optional(),
})
const router = scenarioRouter('Machines', { policy: rest() })
router.prepare(Machine)

export const oddSchemas: Scenario = { name: 'odd-schemas', router }
