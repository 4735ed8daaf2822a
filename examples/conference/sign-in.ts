import { type Middleware, type Router, refuse } from 'resourcery'
import { caller } from './caller.ts'
import { Person } from './models.ts'

/** Finds the person of a token. Requests without a token are those of strangers. */
export const signIn = (router: Router): Middleware => ({
  request: {
    any: async ({ request, state }) => {
      const { authorization } = request.headers
      if (authorization === undefined) return
      const [, token = ''] = /^Bearer (.+)$/.exec(authorization) ?? []
      const person = await router.items(Person).first((query) => query.where('token').equal(token))
      if (!person) refuse('unauthorized', 'Send a known token as "Authorization: Bearer …".')
      state.set(caller, { id: person.id, isOrganizer: person.role === 'organizer' })
    },
  },
  declares: {
    security: [{ token: { type: 'http', scheme: 'bearer' } }, {}],
    errors: ['unauthorized', 'forbidden'],
  },
})
