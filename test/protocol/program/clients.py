"""The scenarios of scenarios.ts with the A2A SDK for Python (a2a-sdk 1.x).

Reads the columns as JSON from stdin, and prints a line of JSON for each result. `python.ts` runs it.
"""

import asyncio
import base64
import json
import sys
import threading
import time
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpx
from a2a.client import A2ACardResolver, ClientConfig, ClientFactory
from a2a.types import a2a_pb2 as pb
from google.protobuf.json_format import MessageToDict, ParseDict

CSV = {'raw': base64.b64encode(b'name\nAda\n').decode(), 'mediaType': 'text/csv', 'filename': 'travellers.csv'}
ITINERARY = {'raw': base64.b64encode(b'day,city\n1,Rome\n').decode(), 'mediaType': 'text/csv', 'filename': 'itinerary.csv'}
PATIENCE_SECONDS = 60


class NotOffered(Exception):
    pass


class TestedClient:
    """The calls of the SDK, with messages as the JSON of the protocol."""

    def __init__(self, address, column, run):
        self.address = address
        self.http = httpx.AsyncClient(headers={'X-API-Key': column['key']}, timeout=PATIENCE_SECONDS)
        self.binding = column['binding']
        self.run = run

    async def connect(self):
        card = await A2ACardResolver(self.http, self.address['url']).get_agent_card()
        self.card = card
        # A card names the hosted URL. The agent URL of the same build is called only by clients that know it.
        own = pb.AgentCard()
        own.CopyFrom(card)
        for each in own.supported_interfaces:
            each.url = each.url.replace(self.address['hostedUrl'], self.address['url'])
        self.clients = {
            streaming: ClientFactory(
                ClientConfig(
                    streaming=streaming,
                    httpx_client=self.http,
                    supported_protocol_bindings=[self.binding],
                    use_client_preference=True,
                )
            ).create(own)
            for streaming in (True, False)
        }
        return self

    async def send(self, message):
        async for event in self.clients[False].send_message(to_request(message)):
            return to_dict(event)

    def stream(self, message):
        return map_events(self.clients[True].send_message(to_request(message)))

    def subscribe(self, task_id):
        return map_events(self.clients[True].subscribe(pb.SubscribeToTaskRequest(id=task_id)))

    async def get(self, task_id, history_length=None):
        request = pb.GetTaskRequest(id=task_id)
        if history_length is not None:
            request.history_length = history_length
        return to_dict(await self.clients[True].get_task(request))

    async def cancel(self, task_id):
        return to_dict(await self.clients[True].cancel_task(pb.CancelTaskRequest(id=task_id)))

    async def list(self, **query):
        return to_dict(await self.clients[True].list_tasks(ParseDict(query, pb.ListTasksRequest())))


async def map_events(events):
    async for event in events:
        yield to_dict(event)


def to_dict(message):
    return MessageToDict(message)


def to_request(message):
    configuration = {'returnImmediately': message.get('returnImmediately', False)}
    if 'push' in message:
        configuration['taskPushNotificationConfig'] = message['push']
    own = {name: message[name] for name in ('taskId', 'contextId') if name in message}
    body = {'messageId': str(uuid.uuid4()), 'role': 'ROLE_USER', 'parts': message['parts'], **own}
    return ParseDict({'message': body, 'configuration': configuration}, pb.SendMessageRequest())


def text(words, **some):
    return {'parts': [{'text': words}], **some}


def texts(holder):
    return '\n'.join(part['text'] for part in (holder or {}).get('parts', []) if 'text' in part)


def state(holder):
    return holder['status']['state'].removeprefix('TASK_STATE_')


def describe(event):
    if 'artifactUpdate' in event:
        return f"artifact {event['artifactUpdate']['artifact']['artifactId']}"
    if 'message' in event:
        return f"message {texts(event['message'])}"
    kind = 'task' if 'task' in event else 'status'
    holder = event.get('task') or event['statusUpdate']
    return ' '.join(filter(None, [kind, state(holder), texts(holder['status'].get('message'))]))


def equal(actual, expected):
    if actual != expected:
        raise AssertionError(f'Expected {expected}, got {actual}.')


def contains(text_, part):
    if part not in text_:
        raise AssertionError(f'Expected "{part}" in "{text_}".')


async def send_for_task(client, words, **some):
    return (await client.send(text(words, **some)))['task']


async def eventually(ask, is_expected):
    until = time.monotonic() + PATIENCE_SECONDS
    while True:
        answer = await ask()
        if is_expected(answer):
            return answer
        if time.monotonic() > until:
            raise AssertionError(f'After {PATIENCE_SECONDS} s it is still {str(answer)[:400]}.')
        await asyncio.sleep(0.05)


def check_booked(task):
    equal(state(task), 'COMPLETED')
    travellers, response = task['artifacts']
    equal({name: travellers['parts'][0].get(name) for name in CSV}, CSV)
    equal(texts(response), 'Booked Rome.')


async def card(client):
    equal(client.card.name, 'Conformance')
    equal([skill.id for skill in client.card.skills], ['conformance'])
    urls = [
        each.url
        for each in client.card.supported_interfaces
        if each.protocol_binding == client.binding and each.protocol_version == '1.0'
    ]
    equal(len(urls), 1)


async def card_signature(client):
    try:
        from a2a.utils.signing import create_signature_verifier
        from jwt import PyJWK
    except ImportError:
        raise NotOffered('the package PyJWT is missing: pip install "a2a-sdk[signing]"') from None
    jwks_url = f"{client.run['baseUrl']}/.well-known/jwks.json"
    keys = (await client.http.get(jwks_url)).json()['keys']

    def find_key(kid, jku):
        equal(jku, jwks_url)
        return PyJWK(next(key for key in keys if key['kid'] == kid))

    verify = create_signature_verifier(find_key, ['ES256'])
    await A2ACardResolver(client.http, client.address['url']).get_agent_card(signature_verifier=verify)


async def extended_card(client):
    found = await client.clients[True].get_extended_agent_card(pb.GetExtendedAgentCardRequest())
    equal(found.name, 'Conformance')
    contains(str([each.uri for each in found.capabilities.extensions]), 'urn:agent-flow:extension:build')


async def send(client):
    task = await send_for_task(client, 'text')
    equal(state(task), 'COMPLETED')
    equal([texts(each) for each in task['artifacts']], ['Three nights in Rome.'])
    equal([texts(each) for each in task['history']], ['text'])


async def message_instead_of_task(client):
    event = await client.send(text('message'))
    equal('task' in event, False)
    equal(texts(event['message']), 'Hello.')


async def artifacts(client):
    data = await send_for_task(client, 'data')
    equal(data['artifacts'][0]['parts'][0]['data'], {'city': 'Rome', 'nights': 3})
    several = await send_for_task(client, 'several')
    equal(texts(several['status']['message']), 'All is ready.')
    equal([each.get('name') for each in several['artifacts']], ['note', 'journey', 'itinerary', 'map', 'summary'])
    note, journey, itinerary, picture = (each['parts'][0] for each in several['artifacts'][:4])
    equal(note['text'], 'Bring good shoes.')
    equal(journey['data'], {'city': 'Rome', 'nights': 3})
    equal({name: itinerary.get(name) for name in ITINERARY}, ITINERARY)
    equal(picture['url'], 'https://example.com/rome.png')
    equal(several['artifacts'][1]['metadata'], {'version': 1})


async def working(client):
    events = [describe(event) async for event in client.stream(text('working'))]
    equal(
        events,
        [
            'task WORKING',
            'status WORKING Looking for hotels.',
            'status WORKING Found three hotels.',
            'status WORKING Choosing one of them.',
            'artifact response',
            'status COMPLETED',
        ],
    )


async def stream_of_text(client):
    events = [event async for event in client.stream(text('stream'))]
    chunks = [event['artifactUpdate'] for event in events if 'artifactUpdate' in event]
    equal(
        [(texts(each['artifact']), each.get('append', False), each.get('lastChunk', False)) for each in chunks],
        [('Rome ', False, False), ('was not built ', True, False), ('in a day.', True, True)],
    )
    task = await client.get(events[0]['task']['id'])
    equal([texts(each) for each in task['artifacts']], ['Rome was not built in a day.'])


async def get(client):
    sent = await send_for_task(client, 'several')
    equal(await client.get(sent['id']), sent)
    equal((await client.get(sent['id'], 0)).get('history', []), [])


async def list_(client):
    context_id = str(uuid.uuid4())
    first = await send_for_task(client, 'text', contextId=context_id)
    second = await send_for_task(client, 'data', contextId=context_id)
    query = {'contextId': context_id, 'pageSize': 1}
    page = await eventually(lambda: client.list(**query), lambda found: found.get('totalSize') == 2)
    rest = await client.list(**query, pageToken=page['nextPageToken'])
    equal([task['id'] for task in page['tasks'] + rest['tasks']], [second['id'], first['id']])
    equal(rest.get('nextPageToken', ''), '')


async def cancel(client):
    task = await send_for_task(client, 'wait')
    equal(state(task), 'WORKING')
    equal(state(await client.cancel(task['id'])), 'CANCELED')
    equal(state(await client.get(task['id'])), 'CANCELED')


async def several_turns(client):
    asked = await send_for_task(client, 'ask')
    equal(state(asked), 'INPUT_REQUIRED')
    contains(texts(asked['status']['message']), 'Which city?')
    again = (await client.send(text('Rome', taskId=asked['id'])))['task']
    equal(state(again), 'INPUT_REQUIRED')
    contains(texts(again['status']['message']), 'list of travellers')
    check_booked((await client.send({'parts': [CSV], 'taskId': asked['id']}))['task'])


async def submitted(client):
    task = await send_for_task(client, 'ask', returnImmediately=True)
    equal(state(task), 'SUBMITTED')
    await eventually(lambda: client.get(task['id']), lambda found: state(found) == 'INPUT_REQUIRED')
    await client.cancel(task['id'])


async def failed(client):
    task = await send_for_task(client, 'fail')
    equal(state(task), 'FAILED')
    contains(texts(task['status']['message']), 'All hotels in Rome are full.')


async def rejected(client):
    task = await send_for_task(client, 'reject')
    equal(state(task), 'REJECTED')
    contains(texts(task['status']['message']), 'moon')


async def auth_required(client):
    run = client.run
    path = f"{run['baseUrl']}/api/v1/connections/conformance?workspaceid={run['workspaceid']}"
    removed = await client.http.delete(f'{path}&scope=user')
    contains('204 404', str(removed.status_code))
    waiting = await TestedClient(client.column['connection'], client.column, run).connect()
    task = await send_for_task(waiting, 'Hello')
    equal(state(task), 'AUTH_REQUIRED')
    contains(texts(task['status']['message']), '/public/agent-config?')
    value = {'type': 'http_bearer', 'scope': 'user', 'hosts': ['example.com'], 'credential': {'token': 'a-test-value'}}
    (await client.http.put(path, json=value)).raise_for_status()
    ended = await eventually(lambda: waiting.get(task['id']), lambda found: state(found) == 'COMPLETED')
    equal([texts(each) for each in ended['artifacts']], ['The connection is stored.'])


async def subscribe_after_disconnect(client):
    stream = client.stream(text('ask'))
    first = (await anext(stream))['task']
    await stream.aclose()
    answers = [text('Rome', taskId=first['id']), {'parts': [CSV], 'taskId': first['id']}]
    seen = []
    async for event in client.subscribe(first['id']):
        seen.append(describe(event))
        holder = event.get('task') or event.get('statusUpdate')
        if holder and state(holder) == 'INPUT_REQUIRED':
            await client.send(answers.pop(0))
    contains(seen[0], 'task ')
    equal(seen[-3:], ['artifact end-1', 'artifact response', 'status COMPLETED'])
    check_booked(await client.get(first['id']))


async def push(client):
    if not client.run['isLocal']:
        raise NotOffered('the service cannot reach a receiver on this machine')
    token = str(uuid.uuid4())
    asked = await send_for_task(client, 'ask', push={'url': receiver.url, 'token': token})
    await client.send(text('Rome', taskId=asked['id']))
    await client.send({'parts': [CSV], 'taskId': asked['id']})

    async def own():
        return [describe(json.loads(body)) for sent, body in receiver.received if sent == token]

    found = await eventually(own, lambda list_: 'status COMPLETED' in list_)
    equal(
        list(dict.fromkeys(found)),
        [
            'task WORKING',
            'status WORKING Reading the request.',
            'status INPUT_REQUIRED Which city?',
            'status WORKING',
            'status INPUT_REQUIRED Send the list of travellers as a file.',
            'artifact end-1',
            'artifact response',
            'status COMPLETED',
        ],
    )


async def push_configurations(client):
    url = receiver.url if client.run['isLocal'] else 'https://example.com/a2a'
    task_id = (await send_for_task(client, 'ask'))['id']
    calls = client.clients[True]

    async def create(id_):
        config = pb.TaskPushNotificationConfig(task_id=task_id, id=id_, url=url, token='task-token')
        return (await calls.create_task_push_notification_config(config)).id

    async def names():
        request = pb.ListTaskPushNotificationConfigsRequest(task_id=task_id)
        return [each.id for each in (await calls.list_task_push_notification_configs(request)).configs]

    equal([await create('first'), await create('second')], ['first', 'second'])
    request = pb.GetTaskPushNotificationConfigRequest(task_id=task_id, id='first')
    equal((await calls.get_task_push_notification_config(request)).url, url)
    equal(await names(), ['first', 'second'])
    delete = pb.DeleteTaskPushNotificationConfigRequest(task_id=task_id, id='first')
    await calls.delete_task_push_notification_config(delete)
    equal(await names(), ['second'])
    await client.cancel(task_id)


async def errors(client):
    async def name_of(call):
        try:
            await call
        except Exception as error:
            return type(error).__name__
        return 'none'

    task = await send_for_task(client, 'text')
    equal(await name_of(client.get(str(uuid.uuid4()))), 'TaskNotFoundError')
    equal(await name_of(client.cancel(task['id'])), 'TaskNotCancelableError')
    equal(await name_of(anext(client.subscribe(task['id']))), 'UnsupportedOperationError')


SCENARIOS = {
    'card': card,
    'card signature': card_signature,
    'extended card': extended_card,
    'send': send,
    'message instead of task': message_instead_of_task,
    'artifacts': artifacts,
    'working, with words': working,
    'stream of text': stream_of_text,
    'get': get,
    'list': list_,
    'cancel': cancel,
    'several turns, with files both ways': several_turns,
    'submitted': submitted,
    'failed': failed,
    'rejected': rejected,
    'auth required': auth_required,
    'subscribe after a disconnect': subscribe_after_disconnect,
    'push to a receiver': push,
    'push configurations': push_configurations,
    'errors': errors,
}


class Receiver:
    """Stores the notifications that it receives, with their tokens."""

    def __init__(self):
        received = self.received = []

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers['content-length']))
                received.append((self.headers['x-a2a-notification-token'], body))
                self.send_response(204)
                self.end_headers()

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(('127.0.0.1', 0), Handler)
        self.url = f'http://127.0.0.1:{self.server.server_address[1]}/hook'
        threading.Thread(target=self.server.serve_forever, daemon=True).start()


async def judge(scenario, column, run):
    try:
        client = TestedClient(column['states'], column, run)
        client.column = column
        async with client.http:
            await asyncio.wait_for(scenario(await client.connect()), 90)
        return {'outcome': 'pass'}
    except NotOffered as reason:
        return {'outcome': 'not offered', 'reason': str(reason)}
    except Exception as error:
        return {'outcome': 'fail', 'reason': f'{type(error).__name__}: {error}'}


async def try_column(column, run):
    for name, scenario in SCENARIOS.items():
        verdict = await judge(scenario, column, run)
        print(json.dumps({'scenario': name, 'binding': column['binding'], 'url': column['url'], **verdict}), flush=True)


async def main():
    run = json.load(sys.stdin)
    columns = [try_column(column, run) for column in run['columns']]
    if run['isLocal']:
        await asyncio.gather(*columns)
    else:
        for column in columns:
            await column


receiver = Receiver()
asyncio.run(main())
