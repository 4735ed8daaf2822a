// The service that is measured: tasks of teams. Each team has a caller who sees its tasks alone.

import { createRouter, hash, model } from 'resourcery'
import { basic } from 'resourcery/auth'
import { rest } from 'resourcery/rest'
import { z } from 'zod'

/** Callers, each with a filter of its own. A write concerns the subscribers of one of them. */
export const TEAMS = 20

export const TASKS_PER_TEAM = 20

export const WRITER = 'writer'

/** @param {number} team */
export const callerOf = (team) => `member-${team}`

/** @param {number} team */
export const taskId = (team, index = 0) => `task-${team}-${index}`

/** @param {string} name of the caller */
export const authorization = (name) => `Basic ${Buffer.from(`${name}:secret`).toString('base64')}`

/** The filter of a team. Its tasks satisfy it always. @param {number} team */
export const filterOf = (team) => `filter[isOpen]=true&filter[size][gte]=${team + 1}`

export const Task = model(
  'task',
  {
    title: z.string(),
    number: z.int(),
    team: z.string(),
    isOpen: z.boolean().default(true),
    size: z.int().default(100),
    text: z.string().default(''),
    cost: z.int().default(0),
    hash: hash(),
  },
  { ids: 'client' },
)

const TEXT = 'What is to be done, and by whom, and until when. '.repeat(3)

/**
 * @param {import('resourcery').Store} store
 * @param {NonNullable<import('resourcery').RouterOptions['changes']>} changes
 * @param {(number: number) => void} [onCommit] gets the number of each task that was changed
 */
export async function taskRouter(store, changes, onCommit) {
  const users = [WRITER, ...Array.from({ length: TEAMS }, (_, team) => callerOf(team))]
  const router = createRouter({
    policy: rest(),
    basePath: '/api',
    store,
    changes,
    security: {
      authentication: [
        basic({
          users: Object.fromEntries(users.map((name) => [name, 'secret'])),
          caller: (id) => ({ id }),
        }),
      ],
      callerSchema: z.object({ id: z.string() }),
    },
  })
  const prepared = router.prepare(Task)
  prepared.access(({ item, caller, signedIn }) => ({
    read: item.team.equal(caller.id).or(caller.id.equal(WRITER)),
    create: signedIn,
    update: signedIn,
    fields: { cost: { read: caller.id.equal(WRITER) } },
  }))
  if (onCommit)
    prepared.use({
      write: { afterCommit: ({ item }) => item && onCommit(item.number) },
    })
  await router.load(
    Task,
    Array.from({ length: TEAMS * TASKS_PER_TEAM }, (_, index) => {
      const team = index % TEAMS
      const id = taskId(team, Math.floor(index / TEAMS))
      return { id, title: `Task ${index}`, number: -1, team: callerOf(team), text: TEXT }
    }),
  )
  return router
}
