import { createRouter, type Router } from 'resourcery'
import { postgres } from 'resourcery/postgres'
import { rest } from 'resourcery/rest'
import { Film, Person } from './models.ts'

/** Serves the tables and changes none of them. */
export function filmService(url: string): Router {
  const router = createRouter({ policy: rest(), store: postgres(url, { manage: false }) })
  router.prepare(Film)
  router.prepare(Person)
  return router
}
