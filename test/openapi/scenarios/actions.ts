import { action, hash, model } from 'resourcery'
import { jsonApi } from 'resourcery/json-api'
import { rest } from 'resourcery/rest'
import { z } from 'zod'
import { type Scenario, scenarioRouter } from './scenario.ts'

/** Actions of the model's class, and operations registered beside it. */
class Account extends model('account', {
  owner: z.string(),
  balance: z.number().default(0),
  hash: hash(),
}) {
  deposit({ amount }: { amount: number }): void {
    this.balance += amount
  }

  static {
    action(this, 'deposit', {
      input: z.object({
        amount: z
          .number()
          .positive()
          .meta({ description: 'In euros', examples: [10] }),
      }),
      description: 'Adds to the balance.',
    })
  }
}

const transfer = {
  id: 'transfer',
  description: 'Moves money to another account.',
  input: z.object({ to: z.string(), amount: z.number().positive() }),
  output: z.object({ left: z.number() }),
  responses: { 402: 'There is not enough on the account' },
} as const

const routers = [rest(), jsonApi()].map((policy) => {
  const router = scenarioRouter('Accounts', { policy })
  router
    .prepare(Account)
    .itemOperation('transfer', ({ item }) => ({ left: item.balance }), transfer)
    .itemOperation('check-out', () => undefined)
  return router
})

export const actions: Scenario = { name: 'actions', router: routers[0]! }
export const actionsJsonApi: Scenario = { name: 'actions-json-api', router: routers[1]! }
