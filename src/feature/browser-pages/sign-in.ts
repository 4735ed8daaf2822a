import type { OpenApiDocument } from '../../openapi/document.ts'
import type { SecurityScheme } from '../../rule/declaration.ts'

/** A credential that a reader types on the documentation page, and the header that carries it. */
export interface SignInField {
  /** The name of its security scheme in the document. */
  readonly scheme: string
  readonly label: string
  readonly header: string
  readonly kind: 'bearer' | 'basic' | 'apiKey'
}

/**
 * The credentials of a document that a page can send: those in a header. Where two have the same
 * label, each has the name of its scheme too.
 */
export function signInFields({ components }: OpenApiDocument): readonly SignInField[] {
  const fields = Object.entries(components.securitySchemes ?? {}).flatMap(([name, scheme]) => {
    const field = fieldOf(scheme as SecurityScheme)
    return field ? [{ scheme: name, ...field }] : []
  })
  return fields.map((field) =>
    fields.some((other) => other !== field && other.label === field.label)
      ? { ...field, label: `${field.label} (${field.scheme})` }
      : field,
  )
}

function fieldOf(scheme: SecurityScheme): Omit<SignInField, 'scheme'> | undefined {
  switch (scheme.type) {
    case 'http':
      return scheme.scheme.toLowerCase() === 'basic'
        ? { label: 'name:password', header: 'authorization', kind: 'basic' }
        : { label: 'Token', header: 'authorization', kind: 'bearer' }
    case 'apiKey':
      return scheme.in === 'header'
        ? { label: scheme.name, header: scheme.name, kind: 'apiKey' }
        : undefined
    case 'mutualTLS':
      return undefined
    default:
      return { label: 'Token', header: 'authorization', kind: 'bearer' }
  }
}

/**
 * The part of the start script that adds a form above the reference. It calls `show` with the
 * document of the caller, and with what the reference needs to send the credential in requests.
 *
 * The page keeps the credential in its memory only, so that a reload signs out. In `sessionStorage`
 * every script of the origin could read it, also those of other applications and of uploaded pages
 * that are served beside the API, and a password or an API key is valid for long.
 */
export const signInScript = `const credentials = {
  bearer: (text) => ({ header: 'Bearer ' + text, auth: { token: text } }),
  basic: (text) => {
    const [username, ...rest] = text.split(':')
    const bytes = new TextEncoder().encode(text)
    const header = 'Basic ' + btoa(String.fromCharCode(...bytes))
    return { header, auth: { username, password: rest.join(':') } }
  },
  apiKey: (text) => ({ header: text, auth: { value: text } }),
}
const addSignIn = () => {
  const form = document.createElement('form')
  form.id = 'sign-in'
  const text = document.createElement('span')
  text.setAttribute('role', 'status')
  const select = document.createElement('select')
  select.setAttribute('aria-label', 'Kind of credential')
  for (const { label } of signIn) select.append(new Option(label))
  const input = document.createElement('input')
  input.type = 'password'
  input.autocomplete = 'off'
  input.required = true
  const describe = () => {
    input.placeholder = signIn[select.selectedIndex].label
    input.setAttribute('aria-label', input.placeholder)
  }
  select.addEventListener('change', describe)
  describe()
  const button = document.createElement('button')
  button.textContent = 'Sign in'
  const signOut = document.createElement('button')
  signOut.type = 'button'
  signOut.textContent = 'Sign out'
  const fields = [...(signIn.length > 1 ? [select] : []), input, button]
  const setSignedIn = (isSignedIn) => {
    text.textContent = isSignedIn
      ? 'You see what you may call, until you reload the page.'
      : 'You see what everyone may call.'
    for (const field of fields) field.hidden = isSignedIn
    signOut.hidden = !isSignedIn
  }
  setSignedIn(false)
  signOut.addEventListener('click', () => {
    setSignedIn(false)
    showForEveryone()
  })
  form.append(text, ...fields, signOut)
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    const { scheme, header: name, kind } = signIn[select.selectedIndex]
    const { header, auth } = credentials[kind](input.value)
    // Without credentials of its own, the browser does not ask for a password after a 401.
    const request = { credentials: 'omit', headers: { [name]: header } }
    const response = await fetch(options.url, request).catch(() => undefined)
    if (!response?.ok) {
      text.textContent = !response
        ? 'The service does not respond.'
        : response.status === 401
          ? 'The service refuses this credential.'
          : 'The service responds with the status ' + response.status + '.'
      return
    }
    input.value = ''
    setSignedIn(true)
    const authentication = { preferredSecurityScheme: scheme, securitySchemes: { [scheme]: auth } }
    show(await response.json(), { authentication })
  })
  document.body.prepend(form)
}
`

export const signInStyle = `#sign-in{display:flex;flex-wrap:wrap;gap:.5rem .75rem;align-items:center;padding:.6rem 1rem;font:14px/1.4 Inter,-apple-system,BlinkMacSystemFont,"Segoe UI",Roboto,sans-serif;color:#1b1b1b;background:#f6f6f6;border-bottom:1px solid #e2e2e2}
#sign-in span{flex:1 1 16rem}
#sign-in [hidden]{display:none}
#sign-in input,#sign-in select,#sign-in button{font:inherit;color:inherit;padding:.35rem .7rem;border:1px solid #c9c9c9;border-radius:6px;background:#fff}
#sign-in input{flex:1 1 10rem;max-width:18rem;min-width:6rem}
#sign-in button{cursor:pointer;font-weight:600}
.dark-mode #sign-in{color:#e7e7e7;background:#1a1a1a;border-color:#2d2d2d}
.dark-mode #sign-in :is(input,select,button){background:#0f0f0f;border-color:#444}`
