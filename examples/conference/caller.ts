import { type RequestContext, type RequestHook, refuse, stateKey } from 'resourcery'

/** Who sends the request. Strangers leave it empty. */
export const caller = stateKey<{ id: string; isOrganizer: boolean }>('caller')

export const callerId = ({ state }: RequestContext): string | undefined => state.get(caller)?.id

export const signedIn: RequestHook = ({ state }) => {
  if (!state.get(caller)) refuse('unauthorized', 'Send your token as "Authorization: Bearer …".')
}

export const organizersOnly: RequestHook = (context) => {
  signedIn(context)
  if (!context.state.get(caller)!.isOrganizer) refuse('forbidden', 'Only organizers do this.')
}
