import { field, hash, model, toOne } from 'resourcery'
import { rest } from 'resourcery/rest'
import { z } from 'zod'
import { type Scenario, scenarioRouter } from './scenario.ts'

/** Hidden, read-only and write-only members. */
const Account = model(
  'account',
  {
    email: z.email(),
    password: field(z.string().min(12), { writeOnly: true, description: 'Never shown' }),
    createdAt: field(
      z.iso.datetime().default(() => new Date().toISOString()),
      { readOnly: true },
    ),
    internalNote: field(z.string().optional(), { hidden: true }),
    legacyCode: z.string().optional().meta({ deprecated: true, description: 'Use the id' }),
    manager: toOne('account', { optional: true }),
    hash: hash(),
  },
  { ids: 'server', requireMatch: true },
)
const router = scenarioRouter('Accounts', { policy: rest() })
router
  .prepare(Account)
  .map(({ legacyCode: _, ...account }) => ({ ...account, initials: account.email.slice(0, 1) }), {
    adds: { initials: z.string() },
    hides: ['legacyCode'],
  })

export const visibility: Scenario = { name: 'visibility', router }
