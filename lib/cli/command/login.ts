// `agent-flow login`, `logout` and `profiles`: the services of a user, and who they are there.
import { Command } from '@commander-js/extra-typings';
import type { Profile } from '../api/profiles.ts';
import { wrongUsage } from '../command-failure.ts';
import { jsonOption } from '../options.ts';
import { note, printJson, printLine, printTable } from '../print.ts';
import { programName } from '../program-name.ts';

export const login = () =>
  new Command('login')
    .summary('sign in to a service')
    .description(
      'Signs you in with your browser, or with an API key, and keeps that as a profile, in a file that only you can read. The profile is used from then on.',
    )
    .argument('<url>', 'the URL of the service, such as https://api.example.com')
    .option('--name <profile>', 'the name of the profile (default: the host)')
    .option('--workspace <id>', 'the workspace of commands that name none')
    .option('--key', 'with an API key, which is asked for, or read from stdin')
    .option('--no-browser', 'print the address only, for a browser that you open yourself')
    .option(...jsonOption)
    .action(async (given, { name, workspace, key, browser, json }) => {
      const { checkUrl } = await import('../api/target.ts');
      const url = checkUrl(given, 'the command line');
      const credentials = key ? await readKey() : { oauth: await signInHere(url, browser) };
      const stored = name ?? new URL(url).host;
      const me = await readMe({ url, ...credentials });
      const chosen = workspace ?? (await chooseWorkspace(me));
      const { saveProfile } = await import('../api/profiles.ts');
      await saveProfile(process.env, stored, {
        url,
        ...credentials,
        ...(chosen !== undefined && { workspace: chosen }),
      });
      if (json) return printJson({ profile: stored, url, workspace: chosen, orgid: me.orgid, id: me.id });
      const who = me.email ?? me.id;
      printLine(`You are ${who} in ${me.orgid}. The profile "${stored}" is used from now on.`);
      if (chosen === undefined)
        note('It names no workspace: add --workspace <id> to commands that need one.');
    });

async function readKey() {
  const { readSecret } = await import('../read-secret.ts');
  return { key: await readSecret('The API key') };
}

async function signInHere(url: string, mayOpen: boolean) {
  const { signIn } = await import('../api/sign-in.ts');
  const { openBrowser } = await import('../open-browser.ts');
  return await signIn(url, (address) => {
    console.error(`Sign in at ${address}`);
    if (mayOpen) openBrowser(address);
  });
}

/** Whether the credentials are good, and for whom. */
async function readMe(profile: Profile) {
  const { request } = await import('../api/request.ts');
  const { secret } = await import('#lib/secret.ts');
  const token = secret(profile.key ?? profile.oauth?.accessToken ?? '');
  const target = {
    url: profile.url,
    source: 'the command line',
    workspace: undefined,
    authorize: async () => token,
  };
  return (await request(target, 'getMe', 'Signing in')).body;
}

type Me = Awaited<ReturnType<typeof readMe>>;

/** The only one, or the one that a person chooses. */
async function chooseWorkspace({ workspaces, workspace_names: names }: Me): Promise<string | undefined> {
  const ids = workspaces === '*' ? Object.keys(names) : workspaces;
  if (ids.length < 2 || !process.stdin.isTTY || !process.stderr.isTTY)
    return ids.length === 1 ? ids[0] : undefined;
  const { isCancel, select } = await import('@clack/prompts');
  const options = ids.map((value) => ({
    value,
    label: names[value] === undefined ? value : `${names[value]} (${value})`,
  }));
  const chosen = await select({ message: 'Which workspace?', options, output: process.stderr });
  return isCancel(chosen) ? undefined : chosen;
}

export const logout = () =>
  new Command('logout')
    .summary('forget a service')
    .description(
      'Removes a profile. What you allowed in the browser ends; an API key stays valid until it is revoked.',
    )
    .argument('[profile]', 'the profile (default: the one in use)')
    .option(...jsonOption)
    .action(async (given, { json }) => {
      const { readProfiles, writeProfiles } = await import('../api/profiles.ts');
      const { current, profiles } = await readProfiles(process.env);
      const name = given ?? current;
      const { [name ?? '']: removed, ...others } = profiles;
      if (name === undefined || !removed)
        throw wrongUsage(`There is no profile ${name === undefined ? 'in use' : `"${name}"`}.`);
      const { revoke } = await import('../api/revoke.ts');
      if (removed.oauth) await revoke(removed.oauth);
      await writeProfiles(process.env, {
        ...(current !== undefined && current !== name && { current }),
        profiles: others,
      });
      if (json) printJson({ removed: name });
      else printLine(`The profile "${name}" is gone.`);
    });

export const profiles = () =>
  new Command('profiles')
    .summary('list the services that you are signed in to, or choose one')
    .description('Lists your profiles, or makes one the profile in use. Keys are not shown.')
    .argument('[profile]', 'use this profile from now on')
    .option(...jsonOption)
    .action(async (chosen, { json }) => {
      const { readProfiles, saveProfile } = await import('../api/profiles.ts');
      const { current, profiles: all } = await readProfiles(process.env);
      if (chosen !== undefined) {
        const profile = all[chosen];
        if (!profile)
          throw wrongUsage(`There is no profile "${chosen}": \`${programName()} login\` creates one.`);
        await saveProfile(process.env, chosen, profile);
      }
      const used = chosen ?? current;
      const items = Object.entries(all).map(([name, { url, workspace, key }]) => ({
        ...{ name, url, workspace: workspace ?? null },
        credentials: key === undefined ? 'browser' : 'API key',
        used: name === used,
      }));
      if (json) return printJson({ items });
      if (items.length === 0)
        return note(`There are no profiles: \`${programName()} login <url>\` creates one.`);
      printTable(
        ['', 'PROFILE', 'URL', 'WORKSPACE', 'CREDENTIALS'],
        items.map(({ name, url, workspace, credentials, used: isUsed }) => [
          isUsed ? '*' : ' ',
          name,
          url,
          workspace,
          credentials,
        ]),
      );
    });
